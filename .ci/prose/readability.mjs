import english from "retext-english";
import readability from "retext-readability";
import gfm from "remark-gfm";
import retext from "remark-retext";
import { unified } from "unified";

export default {
  plugins: [gfm, [retext, unified().use(english).use(readability, { age: 18, minWords: 12, threshold: 6/7 })]],
};
