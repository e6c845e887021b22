// The links of the documents: each path leads to a file, and each #fragment to a heading. GitHub is not asked about URLs of
// this repository: those are read as paths. Other hosts are not asked at all; run looks at the form of such links.
import gfm from "remark-gfm";
import validateLinks from "remark-validate-links";

export default {
  plugins: [gfm, [validateLinks, { repository: "https://github.com/payctl/payctl" }]],
};
