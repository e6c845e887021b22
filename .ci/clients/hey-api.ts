// The client that @hey-api/openapi-ts generates with its default plugins.

import { required, run } from "./flow.js";
import { client } from "./hey-api/client.gen.js";
import * as api from "./hey-api/sdk.gen.js";

client.setConfig({ baseUrl: required("PAYCTL_BASE_URL") });

await run("hey-api", {
  createAccessToken: ({ clientId, clientSecret }) => api.createAccessToken({ auth: `${clientId}:${clientSecret}` }),
  setToken: (token) => {
    client.setConfig({ auth: token });
  },
  createAccount: (body, headers) => api.createAccount({ body, headers }),
  getKycStatus: (accountId, headers) => api.getKycStatus({ path: { accountId }, headers }),
  updateAccount: (accountId, body) => api.updateAccount({ path: { accountId }, body }),
  createSavedContact: (body, headers) => api.createSavedContact({ body, headers }),
  selectRoutes: (body) => api.selectRoutes({ body }),
  createAutoTransfer: (body, headers) => api.createAutoTransfer({ body, headers }),
  createAutoTransferOfNothing: () =>
    api.createAutoTransfer({
      // @ts-expect-error The document requires two members.
      body: {},
    }),
  getTransfer: (transferId, headers = { Prefer: "wait=0" }) => api.getTransfer({ path: { transferId }, headers }),
  advanceSandboxClock: (body) => api.advanceSandboxClock({ body }),
  listTransfers: (query) => api.listTransfers({ query }),
  listAccounts: (query) => api.listAccounts({ query }),
  listEvents: (query) => api.listEvents({ query }),
  deleteSavedContact: (savedContactId) => api.deleteSavedContact({ path: { savedContactId } }),
  getSavedContact: (savedContactId) => api.getSavedContact({ path: { savedContactId } }),
  revokeAccessToken: () => api.revokeAccessToken(),
});
