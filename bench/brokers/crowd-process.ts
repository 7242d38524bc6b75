// A thousand proxies that listen for changes, in a process of their own, which also makes the changes so that one clock
// sees both ends. Jobs come by message.
import WebSocket from 'ws';
import type { CrowdJob } from './notifications.ts';

const pingMs = 10_000;
const openAtOnce = 32;
let heard = 0;
let wanted = Number.POSITIVE_INFINITY;
let onReached: () => void = () => undefined;

function openOne(url: string, authorization: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers: { authorization }, perMessageDeflate: false });
    socket.on('error', reject).on('open', resolve);
    socket.on('message', () => {
      heard++;
      if (heard >= wanted) onReached();
    });
    setInterval(() => socket.ping(), pingMs).unref();
  });
}

async function open(url: string, logins: readonly string[]): Promise<number> {
  const left = [...logins];
  const openSome = async (): Promise<void> => {
    for (let login = left.pop(); login !== undefined; login = left.pop()) await openOne(url, login);
  };
  await Promise.all(Array.from({ length: openAtOnce }, openSome));
  return logins.length;
}

/** Milliseconds from the request until the last proxy has received the notification. */
async function time({ url, method, authorization, body, proxies }: Extract<CrowdJob, { type: 'change' }>) {
  const { promise, resolve } = Promise.withResolvers<void>();
  wanted = heard + proxies;
  onReached = resolve;
  const startedAt = performance.now();
  const headers = { authorization, 'content-type': 'application/json' };
  const completed = fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  await promise;
  const ms = performance.now() - startedAt;
  const response = await completed;
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} was answered by ${response.status}: ${text}`);
  return { ms, text };
}

process.on('message', (job: CrowdJob) => {
  const done = job.type === 'open' ? open(job.url, job.logins) : time(job);
  done.then(
    result => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
