// openapi-fetch, with the types that openapi-typescript generated.

import createClient from "openapi-fetch";
import { required, run } from "./flow.js";
import type { paths } from "./schema.js";

const client = createClient<paths>({ baseUrl: required("PAYCTL_BASE_URL") });
let token = "";
client.use({
  onRequest({ request }) {
    if (token) {
      request.headers.set("Authorization", `Bearer ${token}`);
    }
    return request;
  },
});

await run("openapi-fetch", {
  createAccessToken: ({ clientId, clientSecret }) =>
    client.POST("/identity/auth/tokens/current/v1", {
      headers: { Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}` },
    }),
  setToken: (value) => {
    token = value;
  },
  createAccount: (body, header) => client.POST("/accounts/v1", { params: { header }, body }),
  getKycStatus: (accountId, header) =>
    client.GET("/accounts/{accountId}/kyc/v1", { params: { path: { accountId }, header } }),
  updateAccount: (accountId, body) =>
    client.PATCH("/accounts/{accountId}/v1", {
      params: { path: { accountId } },
      // openapi-fetch sends application/json unless it is told otherwise: it has only the types of the document.
      headers: { "Content-Type": "application/merge-patch+json" },
      body,
    }),
  createSavedContact: (body, header) => client.POST("/contacts/saved/v1", { params: { header }, body }),
  selectRoutes: (body) => client.PATCH("/transfers/info/v1", { body }),
  createAutoTransfer: (body, header) => client.POST("/transfers/auto/v1", { params: { header }, body }),
  createAutoTransferOfNothing: () =>
    client.POST("/transfers/auto/v1", {
      // @ts-expect-error The document requires two members.
      body: {},
    }),
  getTransfer: (transferId, header = { Prefer: "wait=0" }) =>
    client.GET("/transfers/{transferId}/v1", { params: { path: { transferId }, header } }),
  advanceSandboxClock: (body) => client.POST("/sandbox/clock/advance/v1", { body }),
  listTransfers: (query) => client.GET("/transfers/v1", { params: { query } }),
  listAccounts: (query) => client.GET("/accounts/v1", { params: { query } }),
  listEvents: (query) => client.GET("/events/v1", { params: { query } }),
  deleteSavedContact: (savedContactId) =>
    client.DELETE("/contacts/saved/{savedContactId}/v1", { params: { path: { savedContactId } } }),
  getSavedContact: (savedContactId) =>
    client.GET("/contacts/saved/{savedContactId}/v1", { params: { path: { savedContactId } } }),
  revokeAccessToken: () => client.DELETE("/identity/auth/tokens/current/v1"),
});
