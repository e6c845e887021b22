// Package coordinates checks and normalises the details that say where a
// payment goes: bank account numbers, PIX keys and on-chain addresses.
//
// Every check is a pure function from what a person typed to the form worth storing. A refusal is a [Problem]: a piece
// of a sentence that follows the name of the field, names the check that failed and repeats no more of the value than
// the one character or code at fault. Nothing here asks a network, so a value that passes is well formed, not known to
// exist.
//
// [Check] applies the checks that a payment rail calls for, and the Mask
// functions turn a stored value into one that may be shown.
package coordinates
