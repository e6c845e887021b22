// The documented integration, from login to a settled transfer, by clients that know the service only through the
// document that it serves. An adapter of a few lines makes a Client of a generated client, and converts nothing. So it
// does not compile if the generator did not understand a path, member, parameter or response.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

/** The outcome of a call: data if it succeeded, otherwise the problem. There is no response if the service was not reached. */
export interface Result<T> {
  data?: T | undefined;
  error?: Problem | void;
  response?: { status: number; headers: Headers } | undefined;
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail?: string;
  instance?: string;
  errors?: Record<string, string[]>;
}

interface Account {
  id: string;
  kycStatus: string;
  email: string;
  phoneNumber?: string | null;
}

interface KYC {
  status: "not_started" | "incomplete" | "pending" | "under_review" | "approved" | string;
}

interface Endpoint {
  currency?: string;
  paymentRail?: string;
}

interface Route {
  routeKey: string;
  flowType: "onramp" | "offramp" | "swap" | "bridge" | "transfer" | "fx";
  provider: string;
}

interface Transfer {
  id: string;
  accountId: string;
  destinationSavedContactId: string;
  route: string;
  amount: string | null;
  state: TransferState;
  failureReason: string | null;
  reference?: string;
}

type TransferState = Open | "payment_processed" | Ended;
type Open = "awaiting_funds" | "in_review" | "funds_received" | "payment_submitted";
type Ended = "undeliverable" | "returned" | "refunded" | "canceled" | "expired" | "failed";

interface NewAccount {
  type: "individual";
  firstName: string;
  lastName: string;
  email: string;
  country: string;
  externalId: string;
}

interface NewSavedContact {
  accountId: string;
  label: string;
  holderName: string;
  holderType: "individual";
  paymentRail: string;
  currency: string;
  iban: string;
}

interface NewAutoTransfer {
  destinationSavedContactId: string;
  route: string | Route;
  amount: string;
  reference: string;
}

interface RouteSelection {
  selectedSource: Endpoint;
  selectedDestination: Endpoint;
}

type Once = { "Idempotency-Key": string };
type Wait = { Prefer: string; "If-None-Match"?: string };

/** The operations of the flow. Headers and queries have the names of the document. */
export interface Client {
  createAccessToken(credentials: { clientId: string; clientSecret: string }): Promise<Result<{ access_token: string }>>;
  /** Sends this token with every request from now on. */
  setToken(token: string): void;
  createAccount(body: NewAccount, header: Once): Promise<Result<Account>>;
  getKycStatus(accountId: string, header: Wait): Promise<Result<KYC>>;
  updateAccount(accountId: string, body: { phoneNumber: string | null }): Promise<Result<Account>>;
  createSavedContact(body: NewSavedContact, header: Once): Promise<Result<{ id: string; iban?: string }>>;
  selectRoutes(body: RouteSelection): Promise<
    Result<{
      selectedSource: Endpoint | null;
      selectedDestination: Endpoint | null;
      routes: Route[];
      transactionsInfo: { routeKey: string; minAmount: string; fees: { type: string; amount?: string }[] }[];
    }>
  >;
  createAutoTransfer(body: NewAutoTransfer, header: Once): Promise<Result<Transfer>>;
  /** Sends {} as the body; the generated types are expected to reject it. */
  createAutoTransferOfNothing(): Promise<Result<Transfer>>;
  getTransfer(transferId: string, header?: Wait): Promise<Result<Transfer>>;
  advanceSandboxClock(body: { duration: string }): Promise<Result<{ mode: "real" | "scaled" | "manual"; now: string }>>;
  listTransfers(query: {
    accountId: string;
    state: ("payment_processed" | "refunded")[];
    limit: number;
  }): Promise<Result<Page<Transfer>>>;
  listAccounts(query: { externalId: string; kycStatus: ("approved" | "rejected")[] }): Promise<Result<Page<Account>>>;
  /** Some generators give the data a second type, the text of a stream, since the response has a second media type. */
  listEvents(query: { subjectId: string; types: ("transfer.created" | "transfer.stateChanged")[] }): Promise<
    Result<Feed | string>
  >;
  deleteSavedContact(savedContactId: string): Promise<Result<unknown>>;
  getSavedContact(savedContactId: string): Promise<Result<{ id: string }>>;
  revokeAccessToken(): Promise<Result<unknown>>;
}

interface Feed {
  data: { type: string; subjectId: string; from: string | null; to: string | null }[];
  cursor: string;
}

interface Page<T> {
  data: T[];
  nextCursor: string | null;
}

/** Runs the flow, and prints one line for each step. The first failed step ends it. */
export async function run(name: string, client: Client): Promise<void> {
  const deadline = Date.now() + 60_000;
  const externalId = `${name}-${randomUUID()}`;

  const clientId = required("PAYCTL_CLIENT_ID");
  const clientSecret = required("PAYCTL_CLIENT_SECRET");

  await step("create an access token", async () => {
    client.setToken(succeeded(await client.createAccessToken({ clientId, clientSecret }), 200).access_token);
  });

  const accountId = await step("create an individual account", async () => {
    const result = await client.createAccount(
      { type: "individual", firstName: "Ada", lastName: "Lovelace", email: "ada@example.com", country: "GB", externalId },
      { "Idempotency-Key": randomUUID() },
    );
    const account = succeeded(result, 201);
    assert.equal(result.response?.headers.get("Location"), `/accounts/${account.id}/v1`);
    return account.id;
  });

  await step("poll the KYC status until approved", () =>
    poll(
      (header) => client.getKycStatus(accountId, header),
      (kyc) => {
        assert.ok(kyc.status === "pending" || kyc.status === "approved", `KYC became ${kyc.status}`);
        return kyc.status === "approved";
      },
    ),
  );

  await step("change the account by a merge patch", async () => {
    const phoneNumber = "+442079460000";
    assert.equal(succeeded(await client.updateAccount(accountId, { phoneNumber }), 200).phoneNumber, phoneNumber);
    assert.equal(succeeded(await client.updateAccount(accountId, { phoneNumber: null }), 200).phoneNumber, undefined);
  });

  const contactId = await step("create a saved contact", async () => {
    const contact = succeeded(
      await client.createSavedContact(
        {
          accountId,
          label: "Supplier",
          holderName: "Erika Mustermann",
          holderType: "individual",
          paymentRail: "sepa",
          currency: "EUR",
          iban: "DE89370400440532013000",
        },
        { "Idempotency-Key": randomUUID() },
      ),
      201,
    );
    assert.ok(contact.iban);
    assert.notEqual(contact.iban, "DE89370400440532013000", "the IBAN is read back unmasked");
    return contact.id;
  });

  const route = await step("select the route from USDC on Ethereum to EUR by SEPA", async () => {
    const selection: RouteSelection = {
      selectedSource: { currency: "USDC", paymentRail: "ethereum" },
      selectedDestination: { currency: "EUR", paymentRail: "sepa" },
    };
    const info = succeeded(await client.selectRoutes(selection), 200);
    assert.deepEqual(info.selectedSource, selection.selectedSource);
    assert.deepEqual(info.selectedDestination, selection.selectedDestination);
    assert.deepEqual(info.routes.map((r) => r.routeKey), ["ethereum:USDC->sepa:EUR"]);
    assert.deepEqual(info.transactionsInfo.map((t) => t.routeKey), ["ethereum:USDC->sepa:EUR"]);
    const found = info.routes[0];
    assert.equal(found?.flowType, "offramp");
    return found;
  });

  const transferId = await step("create an auto transfer by the key of the route, and repeat it", async () => {
    const reference = `${externalId}-1`;
    const body = { destinationSavedContactId: contactId, route: route.routeKey, amount: "100.00", reference };
    const key = { "Idempotency-Key": randomUUID() };
    const transfer = succeeded(await client.createAutoTransfer(body, key), 201);
    assert.equal(transfer.route, route.routeKey);
    assert.equal(transfer.accountId, accountId);
    assert.equal(transfer.destinationSavedContactId, contactId);
    assert.equal(transfer.amount, "100.00");
    const again = await client.createAutoTransfer(body, key);
    assert.equal(again.response?.headers.get("Idempotency-Replayed"), "true");
    assert.equal(succeeded(again, 201).id, transfer.id);
    return transfer.id;
  });

  await step("poll the transfer until payment_processed", () =>
    poll(
      (header) => client.getTransfer(transferId, header),
      (transfer) => {
        const ended: TransferState[] = ["undeliverable", "returned", "refunded", "canceled", "expired", "failed"];
        assert.ok(!ended.includes(transfer.state), `the transfer became ${transfer.state}: ${transfer.failureReason}`);
        return transfer.state === "payment_processed";
      },
    ),
  );

  const secondId = await step("create an auto transfer by the route that was selected", async () => {
    const body = { destinationSavedContactId: contactId, route, amount: "50", reference: `${externalId}-2` };
    const transfer = succeeded(await client.createAutoTransfer(body, { "Idempotency-Key": randomUUID() }), 201);
    assert.equal(transfer.route, route.routeKey);
    return transfer.id;
  });

  await step("advance the clock of the sandbox until the transfer is settled", async () => {
    assert.equal(succeeded(await client.advanceSandboxClock({ duration: "10m" }), 200).mode, "real");
    assert.equal(succeeded(await client.getTransfer(secondId), 200).state, "payment_processed");
  });

  await step("list by two values of a filter", async () => {
    const transfers = succeeded(
      await client.listTransfers({ accountId, state: ["payment_processed", "refunded"], limit: 10 }), 200);
    assert.deepEqual(transfers.data.map((t) => t.id).sort(), [transferId, secondId].sort());
    assert.equal(transfers.nextCursor, null);
    const accounts = succeeded(await client.listAccounts({ externalId, kycStatus: ["approved", "rejected"] }), 200);
    assert.deepEqual(accounts.data.map((a) => a.id), [accountId]);
    const events = succeeded(
      await client.listEvents({ subjectId: transferId, types: ["transfer.created", "transfer.stateChanged"] }), 200);
    assert.ok(typeof events !== "string");
    const first = events.data[0], last = events.data.at(-1);
    assert.deepEqual([first?.type, first?.from], ["transfer.created", null]);
    assert.deepEqual([last?.type, last?.to], ["transfer.stateChanged", "payment_processed"]);
  });

  await step("read the problem of an auto transfer without its required fields", async () => {
    const result = await client.createAutoTransferOfNothing();
    const problem = refused(result, 400);
    assert.match(problem.type, /\/problems\/validation-error$/);
    assert.equal(problem.title, "One or more validation errors occurred.");
    assert.equal(problem.detail, "The request body failed validation.");
    assert.equal(problem.instance, "/transfers/auto/v1");
    assert.deepEqual(problem.errors, {
      destinationSavedContactId: ["The destinationSavedContactId field is required."],
      route: ["The route field is required."],
    });
  });

  await step("delete the saved contact", async () => {
    assert.equal((await client.deleteSavedContact(contactId)).response?.status, 204);
    assert.match(refused(await client.getSavedContact(contactId), 404).type, /\/problems\/not-found$/);
  });

  await step("revoke the access token", async () => {
    assert.equal((await client.revokeAccessToken()).response?.status, 204);
    refused(await client.getTransfer(transferId), 401);
  });

  async function step<T>(what: string, run: () => Promise<T>): Promise<T> {
    try {
      const result = await run();
      console.log(`ok    ${name}: ${what}`);
      return result;
    } catch (error) {
      console.log(`FAIL  ${name}: ${what}`);
      throw error;
    }
  }

  /** Reads until done returns true. The service holds each response until there is something new (RFC 7240). */
  async function poll<T>(read: (header: Wait) => Promise<Result<T>>, done: (value: T) => boolean): Promise<void> {
    let etag: string | null | undefined;
    while (Date.now() < deadline) {
      const result = await read({ Prefer: "wait=10", ...(etag ? { "If-None-Match": etag } : {}) });
      if (result.response?.status === 304) {
        continue;
      }
      if (done(succeeded(result, 200))) {
        return;
      }
      etag = result.response?.headers.get("ETag");
      assert.ok(etag, "the response has no ETag");
    }
    assert.fail("did not happen within a minute");
  }
}

function succeeded<T>(result: Result<T>, status: number): T {
  assert.equal(result.response?.status, status, JSON.stringify(result.error));
  assert.ok(result.data);
  return result.data;
}

function refused(result: Result<unknown>, status: number): Problem {
  assert.equal(result.response?.status, status, JSON.stringify(result.data));
  assert.equal(result.response?.headers.get("Content-Type")?.split(";")[0], "application/problem+json");
  assert.equal(result.data, undefined);
  assert.ok(result.error);
  assert.equal(result.error.status, status);
  return result.error;
}

/** The environment variable, which `payctl serve -- COMMAND` sets. */
export function required(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} is not set; run this as: payctl serve -- .ci/clients/run.sh`);
  }
  return value;
}
