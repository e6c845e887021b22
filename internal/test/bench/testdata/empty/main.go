// Command empty does nothing. It shows what any Go program needs to start.
package main

func main() {}
