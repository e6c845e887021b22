// Sentences that are too hard: five of seven measures (Flesch, Dale-Chall, SMOG, Gunning fog and others) say that a reader
// needs more schooling than one has at 16. Shorter sentences are left out, as one long word would decide about them.
import english from "retext-english";
import readability from "retext-readability";
import gfm from "remark-gfm";
import retext from "remark-retext";
import { unified } from "unified";

export default {
  plugins: [gfm, [retext, unified().use(english).use(readability, { age: 16, minWords: 12, threshold: 5 / 7 })]],
};
