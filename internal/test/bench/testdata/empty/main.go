// Command empty does nothing: what any Go program needs to start.
package main

func main() {}
