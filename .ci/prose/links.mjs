// The links of the documents: each path leads to a file, and each #fragment to a heading. URLs of this repository are read as
// paths. No other host is asked: the form of its URLs is checked here, and external.mjs asks them.
import gfm from "remark-gfm";
import validateLinks from "remark-validate-links";
import { visit } from "unist-util-visit";

// A URL uses TLS, except on this machine, on its networks, and for the hosts of examples.
function validateForm() {
  const examples = /(^|\.)(localhost|example|test|invalid|example\.(com|org|net))$|^127\.|^[^.]+$/;
  return (tree, file) => {
    visit(tree, ["link", "image", "definition"], (node) => {
      if (!/^[a-z][a-z0-9+.-]*:/i.test(node.url)) return;
      const url = URL.canParse(node.url) && new URL(node.url);
      const secure = url && (["https:", "mailto:"].includes(url.protocol) || examples.test(url.hostname));
      if (!secure) file.message(`${node.url} is not a https URL`, node, "links:form");
    });
  };
}

export default {
  plugins: [gfm, validateForm, [validateLinks, { repository: "https://github.com/payctl/payctl" }]],
};
