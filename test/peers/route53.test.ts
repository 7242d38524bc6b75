// The contract of DNS zones on moto, which speaks the protocol of Route 53.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import {
  CreateHostedZoneCommand,
  ListResourceRecordSetsCommand,
  type ResourceRecordSet,
  Route53Client,
} from '@aws-sdk/client-route-53';
import { isError } from '@chandlery/api';
import { findMoto, whySkipped } from '@chandlery/testing';
import { describeDnsZoneContract } from '../../domains/fleet/src/adapters/dns/dns-zone-contract.ts';
import { Route53DnsZone } from '../../domains/fleet/src/adapters/dns/route53-zone.ts';
import { startMoto } from './support/moto.ts';

const moto = await findMoto();
const skip = whySkipped(moto);
const hostedZone = 'example.com';
const domain = 'dinosaurs.example.com';
const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'not-a-secret' };

async function createHostedZone(endpoint: string, name: string): Promise<{ client: Route53Client; id: string }> {
  const client = new Route53Client({ region: 'us-east-1', endpoint, credentials });
  const { HostedZone: zone } = await client.send(
    new CreateHostedZoneCommand({ Name: name, CallerReference: String(performance.now()) }),
  );
  return { client, id: zone?.Id ?? '' };
}

const plainValue = (value: string): string => value.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1').replace(/\.$/, '');

const valuesOf = (sets: readonly ResourceRecordSet[], name: string, type: string): readonly string[] =>
  sets
    .filter(set => set.Name === `${name}.` && set.Type === type)
    .flatMap(set => (set.ResourceRecords ?? []).map(({ Value = '' }) => plainValue(Value)))
    .sort();

describeDnsZoneContract(
  'Route 53',
  async () => {
    const server = await startMoto(moto.path ?? '');
    const { client, id } = await createHostedZone(server.url, hostedZone);
    const zone = await Route53DnsZone.open({ ...credentials, endpoint: server.url, domain });
    return {
      zone,
      domain,
      resolve: async (name, type) => {
        const command = new ListResourceRecordSetsCommand({ HostedZoneId: id, MaxItems: 300 });
        return valuesOf((await client.send(command)).ResourceRecordSets ?? [], name, type);
      },
      async [Symbol.asyncDispose]() {
        zone[Symbol.dispose]();
        client.destroy();
        await server[Symbol.asyncDispose]();
      },
    };
  },
  { skip, acceptsContradictions: true },
);

const record = { name: `a.${domain}`, target: 'router.example.com', ttlSeconds: 300 };

describe('Route 53', { skip }, () => {
  test('a domain without a hosted zone is rejected for good, until there is one', async () => {
    await using server = await startMoto(moto.path ?? '');
    using zone = await Route53DnsZone.open({ ...credentials, endpoint: server.url, domain });
    await assert.rejects(
      zone.upsert([record]),
      error => isError(error, 'TerminalError') && error.message.includes(domain),
    );
    (await createHostedZone(server.url, domain)).client.destroy();
    assert.notEqual((await zone.upsert([record])).id, '');
  });
});

/** A Route 53 that answers every call in one way. */
async function startFakeRoute53(respond: (path: string, body: string) => { status: number; body: string } | undefined) {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const found = respond(request.url ?? '', await text(request));
    if (found !== undefined) response.writeHead(found.status, { 'content-type': 'text/xml' }).end(found.body);
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return new Promise<void>(resolve => void server.close(() => resolve()));
    },
  };
}

const errorBody = (code: string): string =>
  `<ErrorResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/"><Error><Type>Sender</Type><Code>${code}</Code><Message>The secret is not-a-secret</Message></Error><RequestId>1</RequestId></ErrorResponse>`;

test('a Route 53 that never answers is given up in time', async () => {
  await using server = await startFakeRoute53(() => undefined);
  using zone = await Route53DnsZone.open({ ...credentials, endpoint: server.url, domain, timeoutMs: 300 });
  const startedMs = performance.now();
  await assert.rejects(zone.upsert([record]), error => isError(error, 'PeerUnavailable'));
  assert.ok(performance.now() - startedMs < 5000);
});

test('rejected credentials are terminal and not shown; an overloaded service is worth a retry', async () => {
  for (const [code, status, expected] of [
    ['SignatureDoesNotMatch', 403, 'TerminalError'],
    ['AccessDenied', 403, 'TerminalError'],
    ['Throttling', 400, 'PeerUnavailable'],
    ['ServiceUnavailable', 503, 'PeerUnavailable'],
  ] as const) {
    await using server = await startFakeRoute53(() => ({ status, body: errorBody(code) }));
    using zone = await Route53DnsZone.open({ ...credentials, endpoint: server.url, domain, timeoutMs: 5000 });
    const error: unknown = await zone.upsert([record]).catch((thrown: unknown) => thrown);
    assert.ok(isError(error, expected), `${code}: ${String(error)}`);
    if (expected === 'TerminalError') assert.doesNotMatch(error.message, /not-a-secret/);
  }
});

const xml = (name: string, content: string): string =>
  `<${name} xmlns="https://route53.amazonaws.com/doc/2013-04-01/">${content}</${name}>`;
const zoneList = xml(
  'ListHostedZonesByNameResponse',
  `<HostedZones><HostedZone><Id>/hostedzone/Z1</Id><Name>${domain}.</Name><CallerReference>1</CallerReference></HostedZone></HostedZones><IsTruncated>false</IsTruncated><MaxItems>10</MaxItems>`,
);
const storedAlias = `<ResourceRecordSet><Name>a.${domain}.</Name><Type>CNAME</Type><TTL>300</TTL><ResourceRecords><ResourceRecord><Value>old.example.com</Value></ResourceRecord></ResourceRecords></ResourceRecordSet>`;
const setList = xml(
  'ListResourceRecordSetsResponse',
  `<ResourceRecordSets>${storedAlias}</ResourceRecordSets><IsTruncated>false</IsTruncated><MaxItems>20</MaxItems>`,
);
const accepted = xml(
  'ChangeResourceRecordSetsResponse',
  '<ChangeInfo><Id>/change/C1</Id><Status>PENDING</Status><SubmittedAt>2030-01-01T00:00:00Z</SubmittedAt></ChangeInfo>',
);

test('a batch that contradicts a stored record is sent again with its removal', async () => {
  const batches: string[] = [];
  await using server = await startFakeRoute53((path, body) => {
    if (path.includes('hostedzonesbyname')) return { status: 200, body: zoneList };
    if (body === '') return { status: 200, body: setList };
    batches.push(body);
    return batches.length === 1
      ? { status: 400, body: errorBody('InvalidChangeBatch') }
      : { status: 200, body: accepted };
  });
  using zone = await Route53DnsZone.open({ ...credentials, endpoint: server.url, domain });
  const change = await zone.upsert([{ ...record, target: '192.0.2.1' }]);
  assert.deepEqual(change, { id: 'C1', done: false });
  assert.equal(batches.length, 2);
  assert.doesNotMatch(batches[0] ?? '', /DELETE/);
  assert.match(
    batches[1] ?? '',
    /<Action>DELETE<\/Action>.*old\.example\.com.*<Action>UPSERT<\/Action>.*192\.0\.2\.1/s,
  );
});

test('plain http is accepted on loopback only', async () => {
  const options = { ...credentials, domain, endpoint: 'http://route53.example.com' };
  await assert.rejects(
    Route53DnsZone.open(options),
    error => isError(error, 'TerminalError') && /dns\.endpoint/.test(error.message),
  );
});
