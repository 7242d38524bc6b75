import { apiError, type ChandleryError, isJsonObject, type KubeObject, toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { HttpHost, HttpRequest } from '@chandlery/http';
import type { Logger } from '@chandlery/platform';
import { ignoreNotFound } from '@chandlery/runtime';
import { admitJoin, type JoinDeps, type JoinRequest } from '../joins/admit-join.ts';
import type { DocumentVerifier } from '../joins/identity-documents.ts';
import { type MachineJoin, machineJoins } from '../kinds/machine-join.ts';
import { type MachineRule, machineRules } from '../kinds/machine-rule.ts';
import { joinPlace } from '../model/joins/join-proof.ts';

export interface JoinRouteOptions {
  readonly verifier: DocumentVerifier;
  /** Connects to a cluster that the landscape serves; undefined for any other. The route disposes of the client. */
  readonly connectOwn: (cluster: string) => Promise<Client | undefined>;
  /** Unique among landscapes. */
  readonly landscapeId: () => Promise<string>;
  readonly now: () => Date;
  readonly logger: Logger;
}

const path = '/mesh/v1/clusters/:cluster/namespaces/:namespace/joins';
/** A document of a cloud has some kilobytes. */
const maxBodyBytes = 64 * 1024;
/** Machines join again for a new token after half of this. */
const tokenSeconds = 3600;

interface Place {
  readonly cluster: string;
  readonly namespace: string;
}

/**
 * `GET …/joins` returns the audience of identity documents. `POST …/joins` exchanges such a document for a token of the
 * service account of a MachineRule. Every client may call them: the document authenticates. A machine that is denied does not
 * learn why, nor what there is; the log of the landscape has the reason.
 */
export function addJoinRoute(host: HttpHost, options: JoinRouteOptions): void {
  const readAudience = async (): Promise<string> => `chandlery-mesh/${await options.landscapeId()}`;
  host.app.get(path, async () => ({ audience: await readAudience() }));
  host.app.post(path, async (request, reply) => {
    const place = placeOf(request);
    const asked = parseRequest(await host.readBody(request.raw, reply.raw, maxBodyBytes));
    try {
      const joined = await join(asked, place, { ...options, audience: await readAudience() });
      return await reply.code(201).send(joined);
    } catch (thrown) {
      const { code, message } = toError(thrown);
      options.logger.info('a machine may not join', {
        ...place,
        rule: asked.rule,
        cloud: asked.cloud,
        code,
        reason: message,
      });
      throw apiError('Forbidden', 'the machine may not join: the log of the landscape has the reason');
    }
  });
}

async function join(
  asked: JoinRequest,
  { cluster, namespace }: Place,
  { verifier, connectOwn, now, audience }: JoinRouteOptions & { readonly audience: string },
) {
  await using client = await connectOwn(cluster);
  if (client === undefined) throw apiError('NotFound', `the landscape does not serve a cluster "${cluster}"`);
  const rule = await admitJoin(
    asked,
    { audience, place: joinPlace(audience, cluster, namespace) },
    { ...storeOf(client, namespace), verifier, now: now() },
  );
  const { serviceAccount } = rule.spec;
  const account = { group: '', version: 'v1', plural: 'serviceaccounts', namespace, name: serviceAccount };
  const issued = await client.create({ ...account, subresource: 'token' }, tokenRequest);
  const { token, expirationTimestamp } = (issued['status'] ?? {}) as Readonly<Record<string, unknown>>;
  return { token, expirationTimestamp, serviceAccount };
}

const tokenRequest: KubeObject = {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  metadata: {},
  spec: { expirationSeconds: tokenSeconds },
};

const storeOf = (client: Client, namespace: string): Omit<JoinDeps, 'verifier' | 'now'> => ({
  findRule: name => client.get<MachineRule>({ ...machineRules.ref, namespace, name }).catch(ignoreNotFound),
  findJoin: name => client.get<MachineJoin>({ ...machineJoins.ref, namespace, name }).catch(ignoreNotFound),
  createJoin: async (name, spec) => {
    await client.create({ ...machineJoins.ref, namespace }, machineJoins.object({ name, namespace }, spec));
  },
  updateJoin: async object => {
    await client.update({ ...machineJoins.ref, namespace, name: object.metadata.name ?? '' }, object);
  },
});

const placeOf = ({ params }: HttpRequest): Place => params as Place;

const fields = ['rule', 'cloud', 'document', 'publicKey', 'time', 'proof'] as const;

function parseRequest(body: Buffer | undefined): JoinRequest {
  const parsed = parseJson(body);
  const missing = fields.find(field => typeof parsed[field] !== 'string');
  if (missing !== undefined) throw invalid(`${missing} must be a text`);
  return parsed as unknown as JoinRequest;
}

function parseJson(body: Buffer | undefined): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(body?.toString() ?? '');
    if (isJsonObject(parsed)) return parsed;
  } catch {
    // Reported below.
  }
  throw invalid('the body must be a JSON object');
}

const invalid = (message: string): ChandleryError => apiError('BadRequest', message);
