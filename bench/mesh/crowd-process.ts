// Raw clients that accept whatever they are told, in a process of their own. Jobs come by message.
import { toError } from '@chandlery/api';
import { typeUrls } from '../../domains/mesh/src/model/resource.ts';
import { TestByteCall } from '../../domains/mesh/src/test-xds-client/test-byte-call.ts';
import { connectXds, type TestXdsConnection } from '../../domains/mesh/src/test-xds-client/test-connect-xds.ts';
import { encodeDeltaRequest, encodeRequest } from '../../domains/mesh/src/test-xds-client/test-messages.ts';
import { frameHeadBytes } from '../../domains/mesh/src/xds/frame-message.ts';
import { ownCpuSeconds } from '../kernel/process-usage.ts';
import { Acceptances } from './acceptances.ts';
import type { CrowdJob, CrowdUsage, IssuedToClient, Subscription } from './jobs.ts';
import { aggregatedMethods } from './subject.ts';

type OpenJob = Extract<CrowdJob, { type: 'open' }>;

const connectAtOnce = 16;
/** What a proxy lets a server send before it has looked at it. */
const windowBytes = 16 * 1024 * 1024;
let bytes = 0;
let streams = 0;

async function open(job: OpenJob): Promise<null> {
  const left = [...job.certificates];
  const kinds = kindsOf(job.subscription);
  const openSome = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await connect(job, kinds, next);
  };
  await Promise.all(Array.from({ length: connectAtOnce }, openSome));
  return null;
}

/** Streams that ask for the same. */
interface Kind {
  readonly names: readonly string[];
  readonly acceptances: Acceptances;
}

function kindsOf({ mode, type, nameSets }: Subscription): Kind[] {
  const lists = nameSets.length === 0 ? [[]] : nameSets;
  return lists.map(names => ({ names, acceptances: new Acceptances({ mode, typeUrl: typeUrls[type], names }) }));
}

async function connect(job: OpenJob, kinds: readonly Kind[], client: IssuedToClient): Promise<void> {
  const { server, subscription } = job;
  const { cert, key, proxyId } = client;
  const address = { host: '127.0.0.1', port: server.port };
  const connection = await connectXds({ address, tls: { ca: server.ca, cert, key }, node: { id: '' } });
  connection.session.setLocalWindowSize(windowBytes);
  for (let index = 0; index < subscription.streamsPerConnection; index++) {
    const number = streams++;
    const kind = kinds[number % kinds.length];
    if (kind) openStream(connection, subscription, { ...kind, node: { id: proxyId ?? `stream-${number}` } });
  }
}

interface Stream extends Kind {
  readonly node: { readonly id: string };
}

/** Asks once, then accepts each response as soon as it is there. */
function openStream({ session }: TestXdsConnection, { mode, type }: Subscription, stream: Stream): void {
  const { names, node, acceptances } = stream;
  const call = new TestByteCall(session, aggregatedMethods[mode], {
    onMessage: message => {
      bytes += message.length + frameHeadBytes;
      call.sendRaw(acceptances.of(message));
    },
  });
  const typeUrl = typeUrls[type];
  call.send(
    mode === 'delta'
      ? encodeDeltaRequest({ node, typeUrl, subscribe: names })
      : encodeRequest({ node, typeUrl, names }),
  );
}

const usage = (): CrowdUsage => ({ cpuMs: ownCpuSeconds() * 1000, bytes });

process.on('message', (job: CrowdJob) => {
  const done: Promise<unknown> = job.type === 'open' ? open(job) : Promise.resolve(usage());
  done.then(
    result => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: toError(error).message }),
  );
});
process.on('disconnect', () => process.exit());
