// The fetch client that orval generates, with the options of orval.config.mjs.

import { run } from "./flow.js";
import * as api from "./orval-client.js";

let authorization = "";
const init = (): RequestInit => ({ headers: { Authorization: authorization } });

await run("orval", {
  createAccessToken: async ({ clientId, clientSecret }) => {
    authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
    return result(await api.createAccessToken(undefined, init()), 200);
  },
  setToken: (token) => {
    authorization = `Bearer ${token}`;
  },
  createAccount: async (body, headers) => result(await api.createAccount(body, headers, init()), 201),
  getKycStatus: async (accountId, headers) => result(await api.getKycStatus(accountId, headers, init()), 200),
  updateAccount: async (accountId, body) => result(await api.updateAccount(accountId, body, {}, init()), 200),
  createSavedContact: async (body, headers) => result(await api.createSavedContact(body, headers, init()), 201),
  selectRoutes: async (body) => result(await api.selectRoutes(body, init()), 200),
  createAutoTransfer: async (body, headers) => result(await api.createAutoTransfer(body, headers, init()), 201),
  createAutoTransferOfNothing: async () =>
    // @ts-expect-error The document requires two members.
    result(await api.createAutoTransfer({}, {}, init()), 201),
  getTransfer: async (transferId, headers) => result(await api.getTransfer(transferId, headers, init()), 200),
  advanceSandboxClock: async (body) => result(await api.advanceSandboxClock(body, {}, init()), 200),
  listTransfers: async (query) => result(await api.listTransfers(query, init()), 200),
  listAccounts: async (query) => result(await api.listAccounts(query, init()), 200),
  listEvents: async (query) => result(await api.listEvents(query, {}, init()), 200),
  deleteSavedContact: async (savedContactId) => result(await api.deleteSavedContact(savedContactId, init()), 204),
  getSavedContact: async (savedContactId) => result(await api.getSavedContact(savedContactId, {}, init()), 200),
  revokeAccessToken: async () => result(await api.revokeAccessToken(init()), 204),
});

/** Makes the data of a response the data or the error of a result, by its status, which its type depends on. */
function result<R extends { status: number; data: unknown; headers: Headers }, S extends R["status"]>(
  response: R,
  success: S,
): {
  response: R;
  data?: Extract<R, { status: S }>["data"];
  error?: Exclude<R, { status: 200 | 201 | 204 | 304 }>["data"];
} {
  return { response, [response.status === success ? "data" : "error"]: response.data };
}
