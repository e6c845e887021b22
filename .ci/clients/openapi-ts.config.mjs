import { resolve } from "node:path";

export default {
  input: `${process.env.PAYCTL_BASE_URL}/openapi.yaml`,
  output: {
    path: "hey-api",
    tsConfigPath: resolve("tsconfig.json"), // otherwise it is looked for above node_modules, which is a link here
  },
};
