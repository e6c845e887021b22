// The documented integration, by a client that knows the service only through its contract: every call goes through
// openapi-fetch with the types that openapi-typescript made, so a wrong path, member or method does not compile.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "./schema.js";

type KYC = components["schemas"]["KYC"];
type Transfer = components["schemas"]["Transfer"];

const deadline = Date.now() + 60_000;
const client = createClient<paths>({ baseUrl: required("PAYCTL_BASE_URL").replace(/\/$/, "") });

let authorization = `Basic ${Buffer.from(`${required("PAYCTL_CLIENT_ID")}:${required("PAYCTL_CLIENT_SECRET")}`).toString("base64")}`;
const authenticate: Middleware = {
  onRequest({ request }) {
    request.headers.set("Authorization", authorization);
    return request;
  },
};
client.use(authenticate);

await step("access token by Basic authentication", async () => {
  const { data, error, response } = await client.POST("/identity/auth/tokens/current/v1", {});
  assert.equal(response.status, 200, JSON.stringify(error));
  assert.ok(data?.access_token);
  authorization = `Bearer ${data.access_token}`;
});

const accountId = await step("create an individual account", async () => {
  const { data, error, response } = await client.POST("/accounts/v1", {
    params: { header: { "Idempotency-Key": randomUUID() } },
    body: {
      type: "individual",
      firstName: "Ada",
      lastName: "Lovelace",
      email: "ada@example.com",
      country: "GB",
      externalId: `typescript-${randomUUID()}`,
    },
  });
  assert.equal(response.status, 201, JSON.stringify(error));
  assert.ok(data);
  assert.equal(response.headers.get("Location"), `/accounts/${data.id}/v1`);
  return data.id;
});

await step("poll the KYC status until approved", () =>
  poll<KYC>(
    (header) => client.GET("/accounts/{accountId}/kyc/v1", { params: { path: { accountId }, header } }),
    (kyc) => {
      assert.ok(kyc.status === "pending" || kyc.status === "approved", `KYC became ${kyc.status}`);
      return kyc.status === "approved";
    },
  ),
);

const contactId = await step("create a saved contact", async () => {
  const { data, error, response } = await client.POST("/contacts/saved/v1", {
    params: { header: { "Idempotency-Key": randomUUID() } },
    body: {
      accountId,
      label: "Supplier",
      holderName: "Erika Mustermann",
      holderType: "individual",
      paymentRail: "sepa",
      currency: "EUR",
      iban: "DE89370400440532013000",
    },
  });
  assert.equal(response.status, 201, JSON.stringify(error));
  assert.ok(data);
  assert.notEqual(data.iban, "DE89370400440532013000", "the IBAN is read back unmasked");
  return data.id;
});

const route = await step("select the route from USDC on Ethereum to EUR by SEPA", async () => {
  const selection: components["schemas"]["RouteSelection"] = {
    selectedSource: { currency: "USDC", paymentRail: "ethereum" },
    selectedDestination: { currency: "EUR", paymentRail: "sepa" },
  };
  const { data, error, response } = await client.PATCH("/transfers/info/v1", { body: selection });
  assert.equal(response.status, 200, JSON.stringify(error));
  assert.ok(data);
  assert.deepEqual(data.selectedSource, selection.selectedSource);
  assert.deepEqual(data.selectedDestination, selection.selectedDestination);
  assert.deepEqual(data.routes.map((r) => r.routeKey), ["ethereum:USDC->sepa:EUR"]);
  assert.equal(data.routes[0]?.flowType, "offramp");
  assert.deepEqual(data.transactionsInfo.map((t) => t.routeKey), ["ethereum:USDC->sepa:EUR"]);
  return "ethereum:USDC->sepa:EUR";
});

const transferId = await step("create an auto transfer", async () => {
  const { data, error, response } = await client.POST("/transfers/auto/v1", {
    params: { header: { "Idempotency-Key": randomUUID() } },
    body: { destinationSavedContactId: contactId, route, amount: "100.00", reference: "INV-1" },
  });
  assert.equal(response.status, 201, JSON.stringify(error));
  assert.ok(data);
  assert.equal(data.route, route);
  assert.equal(data.accountId, accountId);
  assert.equal(data.destinationSavedContactId, contactId);
  return data.id;
});

await step("poll the transfer until payment_processed", () =>
  poll<Transfer>(
    (header) => client.GET("/transfers/{transferId}/v1", { params: { path: { transferId }, header } }),
    (transfer) => {
      const ended: Transfer["state"][] = ["undeliverable", "returned", "refunded", "canceled", "expired", "failed"];
      assert.ok(!ended.includes(transfer.state), `the transfer became ${transfer.state}: ${transfer.failureReason}`);
      return transfer.state === "payment_processed";
    },
  ),
);

await step("an auto transfer without its required fields", async () => {
  const { data, error, response } = await client.POST("/transfers/auto/v1", {
    // @ts-expect-error The contract requires both members, and the generated types say so.
    body: {},
  });
  assert.equal(response.status, 400);
  assert.equal(response.headers.get("Content-Type")?.split(";")[0], "application/problem+json");
  assert.equal(data, undefined);
  assert.ok(error);
  assert.match(error.type, /\/problems\/validation-error$/);
  assert.equal(error.title, "One or more validation errors occurred.");
  assert.equal(error.status, 400);
  assert.equal(error.detail, "The request body failed validation.");
  assert.equal(error.instance, "/transfers/auto/v1");
  assert.deepEqual(error.errors, {
    destinationSavedContactId: ["The destinationSavedContactId field is required."],
    route: ["The route field is required."],
  });
});

/** Reads until done says so, asking the service to hold each answer until there is something new (RFC 7240). */
async function poll<T>(
  read: (header: { "If-None-Match"?: string; Prefer: string }) => Promise<{ data?: T; error?: unknown; response: Response }>,
  done: (value: T) => boolean,
): Promise<void> {
  let etag: string | null = null;
  while (Date.now() < deadline) {
    const { data, error, response } = await read({ Prefer: "wait=10", ...(etag ? { "If-None-Match": etag } : {}) });
    if (response.status === 304) {
      continue;
    }
    assert.equal(response.status, 200, JSON.stringify(error));
    assert.ok(data);
    if (done(data)) {
      return;
    }
    etag = response.headers.get("ETag");
    assert.ok(etag, "the answer has no ETag");
  }
  assert.fail("did not happen within a minute");
}

async function step<T>(name: string, run: () => Promise<T>): Promise<T> {
  try {
    const result = await run();
    console.log(`ok    ${name}`);
    return result;
  } catch (error) {
    console.log(`FAIL  ${name}`);
    throw error;
  }
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} is not set; run this as: payctl serve -- .ci/typescript-client/run.sh`);
  }
  return value;
}
