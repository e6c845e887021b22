// Hooks of dredd: the login, the world of the examples, and which transactions are left out.

const assert = require("node:assert/strict");
const { afterAll, beforeAll, beforeEach } = require("hooks");

const service = process.env.PAYCTL_BASE_URL.replace(/\/$/, "");
const basic = `Basic ${Buffer.from(`dredd:${process.env.PAYCTL_CLIENT_SECRET}`).toString("base64")}`;
const tokenPath = "/identity/auth/tokens/current/v1";
// Dredd takes every header in the document for required. These are not: they are on replays, and where rates are
// limited.
const optionalHeaders = ["Idempotency-Replayed", "RateLimit-Policy", "RateLimit"];
let bearer;

beforeAll(async (transactions, done) => {
  const login = await fetch(service + tokenPath, { method: "POST", headers: { Authorization: basic } });
  bearer = `Bearer ${(await login.json()).access_token}`;

  const world = transactions.find(({ request }) => request.method === "PUT" && request.uri === "/sandbox/snapshot/v1");
  const restore = await fetch(service + world.request.uri, {
    method: "PUT",
    headers: { Authorization: bearer, "Content-Type": "application/json" },
    body: world.request.body,
  });
  assert.equal(restore.status, 200, await restore.text());

  // The end of the token comes last.
  transactions.sort((a, b) => Number(isRevoke(a)) - Number(isRevoke(b)));
  done();
});

beforeEach((transaction, done) => {
  transaction.skip = reasonToSkip(transaction) !== undefined;
  transaction.request.headers.Authorization = isLogin(transaction) ? basic : bearer;
  optionalHeaders.forEach((name) => delete transaction.expected.headers[name]);
  done();
});

// Dredd counts a run in which everything is left out as a success.
afterAll((transactions, done) => {
  const operations = new Set(transactions.map(operationOf));
  const passed = new Set(transactions.filter(({ test }) => test?.status === "pass").map(operationOf));
  assert.deepEqual(passed, operations, "an operation has no transaction that passed");
  console.log(`ok    dredd: ${operations.size} operations`);
  done();
});

/** Dredd makes a transaction of each response, all of an operation with the same request. Only one of them can come. */
function reasonToSkip({ expected, name }) {
  // The status of the `default` response is 200 for dredd.
  if (!/^2/.test(expected.statusCode) || expected.headers["Content-Type"] === "application/problem+json") {
    return "the request is valid, so it does not fail";
  }
  if (name === "/transfers/auto/v1 > Auto transfer > 200 > application/json") {
    return "the transfer is new, so the status is 201";
  }
  if (expected.headers["Content-Type"] === "text/event-stream") {
    return "the stream does not end";
  }
  return undefined;
}

/** A name is the path, the summary, the status and the media type. */
function operationOf({ name }) {
  return name.split(" > ").slice(0, 2).join(" > ");
}

function isLogin({ request }) {
  return request.uri === tokenPath && request.method === "POST";
}

function isRevoke({ request }) {
  return request.uri === tokenPath && request.method === "DELETE";
}
