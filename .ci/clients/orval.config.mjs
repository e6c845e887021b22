export default {
  payctl: {
    input: `${process.env.PAYCTL_BASE_URL}/openapi.yaml`,
    output: {
      target: "orval-client.ts",
      client: "fetch",
      headers: true, // header parameters, such as Idempotency-Key
      baseUrl: { runtime: "process.env.PAYCTL_BASE_URL" },
    },
  },
};
