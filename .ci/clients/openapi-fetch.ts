// The documented integration, from login to a settled transfer, by openapi-fetch with the types that openapi-typescript
// generated from the document that the service serves. Nothing is converted. So it does not compile if the generator did
// not understand a path, member, parameter or response.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Problem = components["schemas"]["Problem"];

const client = createClient<paths>({ baseUrl: variable("PAYCTL_BASE_URL") });
let authorization = `Basic ${Buffer.from(`${variable("PAYCTL_CLIENT_ID")}:${variable("PAYCTL_CLIENT_SECRET")}`).toString("base64")}`;
client.use({
  onRequest({ request }) {
    request.headers.set("Authorization", authorization);
    return request;
  },
});
const once = () => ({ header: { "Idempotency-Key": randomUUID() } });
const externalId = `openapi-fetch-${randomUUID()}`;

const token = succeeded(await client.POST("/identity/auth/tokens/current/v1"), 200);
authorization = `Bearer ${token.access_token}`;

const created = await client.POST("/accounts/v1", {
  params: once(),
  body: { type: "individual", firstName: "Ada", lastName: "Lovelace", email: "ada@example.com", country: "GB", externalId },
});
const accountId = succeeded(created, 201).id;
assert.equal(created.response.headers.get("Location"), `/accounts/${accountId}/v1`);

// The service holds each response until there is something new (RFC 7240).
let etag = "";
for (let status = "pending"; status !== "approved"; ) {
  const header = { Prefer: "wait=10", ...(etag && { "If-None-Match": etag }) };
  const check = await client.GET("/accounts/{accountId}/kyc/v1", { params: { path: { accountId }, header } });
  if (check.response.status !== 304) {
    status = succeeded(check, 200).status;
    etag = check.response.headers.get("ETag") ?? assert.fail("the response has no ETag");
  }
  assert.ok(status === "pending" || status === "approved", `the identity check became ${status}`);
}

for (const phoneNumber of ["+442079460000", null]) {
  const changed = await client.PATCH("/accounts/{accountId}/v1", {
    params: { path: { accountId } },
    headers: { "Content-Type": "application/merge-patch+json" }, // openapi-fetch knows only the types of the document
    body: { phoneNumber },
  });
  assert.equal(succeeded(changed, 200).phoneNumber, phoneNumber ?? undefined);
}

const contact = succeeded(
  await client.POST("/contacts/saved/v1", {
    params: once(),
    body: {
      accountId, label: "Supplier", holderName: "Erika Mustermann", holderType: "individual", paymentRail: "sepa",
      currency: "EUR", iban: "DE89370400440532013000",
    },
  }),
  201,
);
assert.notEqual(contact.iban, "DE89370400440532013000", "the IBAN is read back unmasked");

const selectedSource = { currency: "USDC", paymentRail: "ethereum" };
const selectedDestination = { currency: "EUR", paymentRail: "sepa" };
const info = succeeded(await client.PATCH("/transfers/info/v1", { body: { selectedSource, selectedDestination } }), 200);
assert.deepEqual(info.selectedSource, selectedSource);
const route = info.routes[0] ?? assert.fail("there is no route");
assert.equal(route.routeKey, "ethereum:USDC->sepa:EUR");

// By the key of the route, twice with one idempotency key, and by the route itself.
const payment = { destinationSavedContactId: contact.id, amount: "100.00", reference: `${externalId}-1` };
const params = once();
const pay = () => client.POST("/transfers/auto/v1", { params, body: { ...payment, route: route.routeKey } });
const first = succeeded(await pay(), 201);
assert.equal(first.amount, "100.00");
const again = await pay();
assert.equal(again.response.headers.get("Idempotency-Replayed"), "true");
assert.equal(succeeded(again, 201).id, first.id);
const other = { ...payment, reference: `${externalId}-2`, route };
const second = succeeded(await client.POST("/transfers/auto/v1", { params: once(), body: other }), 201);
assert.equal(second.route, route.routeKey);

succeeded(await client.POST("/sandbox/clock/advance/v1", { body: { duration: "10m" } }), 200);
const listed = succeeded(
  await client.GET("/transfers/v1", { params: { query: { accountId, state: ["payment_processed", "refunded"] } } }), 200);
assert.deepEqual(listed.data.map((t) => t.id), [second.id, first.id]);
assert.equal(listed.nextCursor, null);
const events = succeeded(
  await client.GET("/events/v1", {
    params: { query: { subjectId: first.id, types: ["transfer.created", "transfer.stateChanged"] } },
  }),
  200,
);
assert.ok(typeof events !== "string"); // the response has a second media type
assert.deepEqual([events.data[0]?.from, events.data.at(-1)?.to], [null, "payment_processed"]);

const problem = refused(
  await client.POST("/transfers/auto/v1", {
    // @ts-expect-error The document requires two members.
    body: {},
  }),
  400,
);
assert.equal(problem.title, "One or more validation errors occurred.");
assert.deepEqual(problem.errors, {
  destinationSavedContactId: ["The destinationSavedContactId field is required."],
  route: ["The route field is required."],
});

const path = { savedContactId: contact.id };
assert.equal((await client.DELETE("/contacts/saved/{savedContactId}/v1", { params: { path } })).response.status, 204);
refused(await client.GET("/contacts/saved/{savedContactId}/v1", { params: { path } }), 404);
assert.equal((await client.DELETE("/identity/auth/tokens/current/v1")).response.status, 204);
refused(await client.GET("/transfers/{transferId}/v1", { params: { path: { transferId: first.id } } }), 401);
console.log("ok    openapi-fetch: the documented integration");

interface Result<T> {
  data?: T | undefined;
  error?: Problem | undefined;
  response: Response;
}

function succeeded<T>(result: Result<T>, status: number): T {
  assert.equal(result.response.status, status, JSON.stringify(result.error));
  return result.data ?? assert.fail("the response has no document");
}

function refused(result: Result<unknown>, status: number): Problem {
  assert.equal(result.response.status, status, JSON.stringify(result.data));
  assert.equal(result.error?.status, status);
  return result.error;
}

/** The environment variable, which `payctl serve -- COMMAND` sets. */
function variable(name: string): string {
  return process.env[name] ?? assert.fail(`${name} is not set; run this as: payctl serve -- .ci/clients/run.sh`);
}
