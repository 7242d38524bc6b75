import type { KubeObject } from '@chandlery/api';
import type { AtomicClient } from '@chandlery/client';
import { createHttpHost, silentLogger } from '@chandlery/http';
import { type Logger, silentLogger as quiet } from '@chandlery/platform';
import { startTestPlane, type TestPlane } from '@chandlery/testing';
import { createDocumentVerifier } from '../joins/identity-documents.ts';
import type { SourceLimits } from '../joins/source-limits.ts';
import { createAwsSigner, createAzureSigner, startTestIssuer } from '../joins/test-documents.ts';
import { machineJoins } from '../kinds/machine-join.ts';
import { machineRules } from '../kinds/machine-rule.ts';
import { joinPlace } from '../model/joins/join-proof.ts';
import { addJoinRoute } from './join-route.ts';

export const audience = 'chandlery-mesh/l1';
export const namespace = 'default';
export const subscriptionId = '11111111-2222-3333-4444-555555555555';

/** The clouds that sign documents, and a plane. */
export interface JoinClouds extends AsyncDisposable {
  readonly plane: TestPlane;
  readonly issuer: Awaited<ReturnType<typeof startTestIssuer>>;
  /** In `eu-central-1`. */
  readonly aws: Awaited<ReturnType<typeof createAwsSigner>>;
  /** In `us-east-1`. */
  readonly awsElsewhere: Awaited<ReturnType<typeof createAwsSigner>>;
  readonly azure: Awaited<ReturnType<typeof createAzureSigner>>;
}

export async function startJoinClouds(): Promise<JoinClouds> {
  const stack = new AsyncDisposableStack();
  const plane = stack.use(await startTestPlane({ kinds: [machineRules.declaration, machineJoins.declaration] }));
  const issuer = stack.use(await startTestIssuer());
  const azure = stack.use(await createAzureSigner());
  const [aws, awsElsewhere] = [await createAwsSigner(), await createAwsSigner()];
  return { plane, issuer, azure, aws, awsElsewhere, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

export interface ReplicaOptions {
  /** Authorities besides that of `JoinClouds`. Default: none. */
  readonly azureAuthorities?: readonly string[];
  /** Default: the clock of the machine. */
  readonly now?: () => Date;
  readonly limits?: SourceLimits;
}

let clusters = 0;

/** A landscape with a cluster that has rules for machines of all clouds. */
export async function startJoinWorld(clouds: JoinClouds, first: ReplicaOptions = {}) {
  const { plane, issuer, aws, awsElsewhere, azure } = clouds;
  const cluster = `j${++clusters}`;
  const client: AtomicClient = await plane.createCluster(cluster);
  const create = (plural: string, object: KubeObject) =>
    client.create(
      plural === 'serviceaccounts'
        ? { group: '', version: 'v1', plural, namespace }
        : { ...machineRules.ref, namespace },
      object,
    );
  await create('serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'books' } });
  const { apiVersion, kind } = machineRules;
  const rule = (name: string, spec: object) =>
    create('machinerules', { apiVersion, kind, metadata: { name }, spec: { serviceAccount: 'books', ...spec } });
  await rule('google', { google: { project: 'shop-prod', zones: ['europe-west1-b'] } });
  await rule('aws', { aws: { accountId: '123456789012', regions: ['eu-central-1'] } });
  await rule('azure', { azure: { subscriptionId } });
  const reasons: string[] = [];
  const logger = Object.assign(Object.create(quiet) as Logger, {
    info: (_text: string, fields: Readonly<Record<string, unknown>> = {}) =>
      void reasons.push(String(fields['reason'])),
  });
  /** A replica: it has nothing of its own but the connection to the store. */
  const startReplica = ({ now = () => new Date(), limits }: ReplicaOptions = {}) => {
    const host = createHttpHost({ logger: silentLogger, readiness: async () => [] });
    addJoinRoute(host, {
      verifier: createDocumentVerifier({
        awsCertificates: { 'eu-central-1': aws.certificate, 'us-east-1': awsElsewhere.certificate },
        azureAuthorities: [azure.authority, ...(first.azureAuthorities ?? [])],
        googleIssuer: issuer.url,
      }),
      connectOwn: async name => (name === cluster ? plane.connect(name) : undefined),
      landscapeId: async () => 'l1',
      ...{ now, logger, ...(limits && { limits }) },
    });
    const post = async (body: object, place = { cluster, namespace }, remoteAddress = '198.51.100.7') => {
      const url = `/mesh/v1/clusters/${place.cluster}/namespaces/${place.namespace}/joins`;
      const response = await host.app.inject({ url, method: 'POST', payload: JSON.stringify(body), remoteAddress });
      return {
        status: response.statusCode,
        headers: response.headers,
        body: response.json<Readonly<Record<string, string>>>(),
      };
    };
    return { host, post, [Symbol.asyncDispose]: () => host.close({ graceMs: 0 }) };
  };
  const replica = startReplica(first);
  return {
    ...{ client, cluster, reasons, rule, startReplica },
    ...{ host: replica.host, post: replica.post },
    /** A request, of another place or time if these are given. */
    statement: (name: string, document: string, more: { readonly place?: string; readonly time?: string } = {}) => ({
      ...{ rule: name, document, cloud: name, place: joinPlace(audience, cluster, namespace) },
      time: new Date().toISOString(),
      ...more,
    }),
    [Symbol.asyncDispose]: () => replica[Symbol.asyncDispose](),
  };
}
