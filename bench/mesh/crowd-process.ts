// Raw clients that acknowledge every response, in a process of their own. Jobs arrive as messages.
import { toError } from '@chandlery/api';
import { typeUrls } from '../../domains/mesh/src/model/resource.ts';
import { encodeDeltaRequest, encodeRequest } from '../../domains/mesh/src/test-xds-client/test-messages.ts';
import { frameHeadBytes, frameMessage } from '../../domains/mesh/src/xds/frame-message.ts';
import { ownCpuSeconds } from '../kernel/process-usage.ts';
import { Acceptances } from './acceptances.ts';
import type { CrowdJob, CrowdUsage, IssuedToClient, Subscription } from './jobs.ts';
import { RawConnection } from './raw-connection.ts';
import { encodeRequestHeaders } from './request-headers.ts';
import { aggregatedMethods } from './subject.ts';
import { Workbench } from './workbench.ts';

type OpenJob = Extract<CrowdJob, { type: 'open' }>;

const connectAtOnce = 16;
const workbench = new Workbench();
let bytes = 0;
let streams = 0;

async function open(job: OpenJob): Promise<null> {
  const left = [...job.certificates];
  const kinds = kindsOf(job);
  const openSome = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await connect(job, kinds, next);
  };
  await Promise.all(Array.from({ length: connectAtOnce }, openSome));
  return null;
}

/** Streams with the same subscription. */
interface Kind {
  /** Encoded. */
  readonly headers: Buffer;
  readonly names: readonly string[];
  readonly acceptances: Acceptances;
}

function kindsOf({ server, subscription: { mode, type, nameSets } }: OpenJob): Kind[] {
  const headers = encodeRequestHeaders({ authority: `127.0.0.1:${server.port}`, path: aggregatedMethods[mode] });
  const lists = nameSets.length === 0 ? [[]] : nameSets;
  return lists.map(names => ({
    headers,
    names,
    acceptances: new Acceptances({ mode, typeUrl: typeUrls[type], names }),
  }));
}

async function connect(job: OpenJob, kinds: readonly Kind[], client: IssuedToClient): Promise<void> {
  const { server, subscription } = job;
  const { cert, key, proxyId } = client;
  const tls = { ca: server.ca, cert, key };
  const connection = await RawConnection.open({ port: server.port, tls, workbench, onFailure: giveUp });
  for (let index = 0; index < subscription.streamsPerConnection; index++) {
    const number = streams++;
    const kind = kinds[number % kinds.length];
    if (kind) openStream(connection, subscription, { ...kind, node: { id: proxyId ?? `stream-${number}` } });
  }
  connection.flush();
}

interface Stream extends Kind {
  readonly node: { readonly id: string };
}

/** Subscribes once, then acknowledges each response immediately. */
function openStream(connection: RawConnection, { mode, type }: Subscription, stream: Stream): void {
  const { headers, names, node, acceptances } = stream;
  const send = connection.openStream(headers, message => {
    bytes += message.length + frameHeadBytes;
    send(acceptances.of(message));
  });
  const typeUrl = typeUrls[type];
  const request =
    mode === 'delta'
      ? encodeDeltaRequest({ node, typeUrl, subscribe: names })
      : encodeRequest({ node, typeUrl, names });
  send(frameMessage(request));
}

/** A crowd without one of its streams measures nothing. */
function giveUp({ message }: Error): void {
  console.error(`bench: clients of the mesh give up: ${message}`);
  process.exit(1);
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
