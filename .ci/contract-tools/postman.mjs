// Imports the document as Postman does, and sends every request to the service, through a Prism that compares each
// request and each response with the document. Usage: node postman.mjs DOCUMENT.yaml

import assert from "node:assert/strict";
import { importDocument, nameOf, Report, requests, required, send, succeeds, withPrism } from "./tools.mjs";

const document = process.argv[2];
const service = required("PAYCTL_BASE_URL");

// "Parameter generation: Example" among the settings of the import. By default it makes "<string>" of each string.
const collection = await importDocument(document, { parametersResolution: "Example" });
const items = requests(collection);
const asSchema = requests(await importDocument(document, {}));
assert.deepEqual(asSchema.map(nameOf), items.map(nameOf), "the importer's default options give other requests");
const baseUrl = collection.variable.find(({ key }) => key === "baseUrl").value;
assert.equal(new URL(baseUrl).origin, new URL(service).origin, "the imported baseUrl is not the service's");

const login = find("POST /identity/auth/tokens/current/v1");
const restore = find("PUT /sandbox/snapshot/v1");
const revoke = find("DELETE /identity/auth/tokens/current/v1");

await withPrism(["proxy", document, service], async (proxy) => {
  const variables = {
    baseUrl: proxy,
    basicAuthUsername: "postman",
    basicAuthPassword: required("PAYCTL_CLIENT_SECRET"),
  };
  const [token] = await send(collection, [login], variables);
  assert.equal(token.status, 200, `the login fails: ${token.body}`);
  variables.bearerToken = JSON.parse(token.body).access_token;
  // The world of the examples first, and the end of the token last. Everything else is sent in the document's order.
  const order = [{ ...restore, id: "world" }, ...items.filter((item) => item !== revoke), revoke];

  const report = new Report();
  for (const result of await send(collection, order, variables)) {
    report.add("requests", result, [...succeeds(result), ...result.violations]);
  }
  report.end("Postman's import by newman, through prism proxy");
});

function find(name) {
  const item = items.find((candidate) => nameOf(candidate) === name);
  assert.ok(item, `the imported collection has no ${name}`);
  return item;
}
