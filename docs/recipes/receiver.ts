// Receives webhooks: beside payctl listen --forward-to http://127.0.0.1:3000/
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";

const secret = process.env.PAYCTL_WEBHOOK_SECRET ?? ""; // of payctl listen --print-secret
const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
const done = new Set<string>(); // of an application: a table with a unique key

function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const field = (name: string) => String(request.headers[`webhook-${name}`]);
  const hash = createHmac("sha256", key).update(`${field("id")}.${field("timestamp")}.`).update(body).digest("base64");
  const wanted = Buffer.from(`v1,${hash}`);
  const isRecent = Math.abs(Date.now() / 1000 - Number(field("timestamp"))) < 300;
  const isRight = (text: Buffer) => text.length === wanted.length && timingSafeEqual(text, wanted);
  return key.length >= 24 && isRecent && field("signature").split(" ").some((one) => isRight(Buffer.from(one)));
}

createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (!isSigned(request, body)) {
    response.writeHead(400).end();
    return;
  }
  const event = JSON.parse(body.toString());
  if (!done.has(event.id)) { // one may come a second time
    console.log(event.type, event.subjectId, event.to);
    done.add(event.id);
  }
  response.writeHead(204).end(); // only now: an event that is not acknowledged comes again
}).listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
