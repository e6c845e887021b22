// The links that lead to other hosts: each is requested. Not part of .ci/run, which works without the internet at large.
import gfm from "remark-gfm";
import noDeadUrls from "remark-lint-no-dead-urls";

export default {
  plugins: [gfm, [noDeadUrls, { skipUrlPatterns: [/^http:/, /^https:\/\/github\.com\/payctl\//, /\.(example|invalid)(\/|$)/] }]],
};
