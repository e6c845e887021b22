// Sends the requests that Postman's importer makes of the document to Prism's mock server. Each operation has to answer
// with an example of the document, for every status that it has, and to refuse invalid requests.
// Usage: node mock.mjs DOCUMENT.json

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { importDocument, Report, requests, send, succeeds, withPrism } from "./tools.mjs";

const file = process.argv[2];
const document = JSON.parse(readFileSync(file, "utf8"));
const examples = new Set();
collectExamples(document);

const collection = await importDocument(file, { parametersResolution: "Example" });
const items = requests(collection);
const operations = Object.values(document.paths).flatMap(Object.values).filter(({ operationId }) => operationId);
assert.equal(items.length, operations.length, "the importer does not make one request of each operation");

// What makes a request invalid, as a function that returns its changed members; nothing for a request that stays valid.
const mutations = {
  "requests without credentials": ({ response }) =>
    response.some(({ code }) => code === 401) && { auth: { type: "noauth" } },
  "paths with a long id": ({ request: { url } }) => {
    const variable = url.variable.map((one) => ({ ...one, value: "x".repeat(1000) }));
    return variable.length > 0 && { url: { ...url, variable } };
  },
  "bodies that are a list": ({ request: { body } }) => body.raw && { body: { ...body, raw: "[]" } },
  "limits of 0": ({ request: { url } }) => {
    const query = url.query.map((one) => (one.key === "limit" ? { ...one, value: "0" } : one));
    return url.query.some(({ key }) => key === "limit") && { url: { ...url, query } };
  },
};

await withPrism(["mock", file], async (mock) => {
  const variables = { baseUrl: mock, basicAuthUsername: "mock", basicAuthPassword: "mock", bearerToken: "mock" };
  const report = new Report();

  for (const result of await send(collection, items, variables)) {
    report.add("operations", result, [...succeeds(result), ...result.violations, ...isExample(result)]);
  }
  for (const result of await send(collection, items.flatMap(forEachStatus), variables)) {
    report.add("statuses", result, [...hasStatusAskedFor(result), ...result.violations, ...isExample(result)]);
  }
  for (const [kind, mutate] of Object.entries(mutations)) {
    const mutated = items.flatMap((item) => {
      const members = mutate(item);
      return members ? [changed(item, members)] : [];
    });
    for (const result of await send(collection, mutated, variables)) {
      report.add(`refused ${kind}`, result, isRefused(result));
    }
  }
  report.end("prism mock");
});

/** Copies a request with other members. Newman tells results apart by the id, so the copy has one of its own. */
function changed(item, members) {
  return { ...item, id: randomUUID(), request: { ...item.request, ...members } };
}

/** Makes a request for each status of an operation. A status without a number, such as 4XX, cannot be asked for. */
function forEachStatus(item) {
  const header = (item.request.header ?? []).filter(({ key }) => key !== "Prefer" && key !== "Accept");
  const byStatus = new Map(item.response.map((response) => [response.code, response]));
  byStatus.delete(undefined);
  return [...byStatus].map(([code, response]) => {
    const value = response.header.find(({ key }) => key === "Content-Type")?.value ?? "*/*";
    return changed(item, { header: [...header, { key: "Accept", value }, { key: "Prefer", value: `code=${code}` }] });
  });
}

function hasStatusAskedFor({ item, status }) {
  const { value } = item.request.header.find(({ key }) => key === "Prefer");
  return value === `code=${status}` ? [] : [`${value} was asked for`];
}

function isRefused({ status, violations }) {
  const refused = status >= 400 && status < 500 && violations.length > 0;
  return refused ? [] : ["the request is invalid, so it should be refused"];
}

/** Prism makes up a body for which it finds no example. */
function isExample({ body }) {
  return body === "" || examples.has(canonical(body)) ? [] : ["the body is no example of the document"];
}

function canonical(body) {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return JSON.stringify(body);
  }
}

/** Collects each `example` of a part of the document, and each value of its `examples`. */
function collectExamples(part) {
  if (part === null || typeof part !== "object") {
    return;
  }
  if (part.example !== undefined) {
    examples.add(JSON.stringify(part.example));
  }
  Object.values(part.examples ?? {}).forEach(({ value }) => examples.add(JSON.stringify(value)));
  Object.values(part).forEach(collectExamples);
}
