import { apiError, type ChandleryError, isError, isJsonObject, type KubeObject, toError } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { HttpHost, HttpRequest } from '@chandlery/http';
import type { Logger } from '@chandlery/platform';
import { ignoreNotFound } from '@chandlery/runtime';
import { admitJoin, type JoinDeps, type JoinRequest, proveMachine } from '../joins/admit-join.ts';
import type { DocumentVerifier } from '../joins/identity-documents.ts';
import { SourceLimits } from '../joins/source-limits.ts';
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
  /** Default: those of {@link SourceLimits}. */
  readonly limits?: SourceLimits;
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
 * service account of a MachineRule. Every client may call them: the document authenticates, and the requests of each
 * address are limited. A machine that is denied does not learn why, nor what there is; the log of the landscape has the
 * reason.
 */
export function addJoinRoute(host: HttpHost, options: JoinRouteOptions): void {
  const { landscapeId, now, logger, limits = new SourceLimits() } = options;
  let audience: Promise<string> | undefined;
  const readAudience = (): Promise<string> => {
    audience ??= landscapeId().then(
      id => `chandlery-mesh/${id}`,
      (thrown: unknown) => {
        audience = undefined;
        throw thrown;
      },
    );
    return audience;
  };
  const limit = ({ raw }: HttpRequest): void => {
    const waitMs = limits.tryTake(raw.socket?.remoteAddress ?? '', now().getTime());
    if (waitMs > 0) throw tooMany(waitMs);
  };
  host.app.get(path, async request => {
    limit(request);
    return { audience: await readAudience() };
  });
  host.app.post(path, async (request, reply) => {
    limit(request);
    const place = placeOf(request);
    const asked = parseRequest(await host.readBody(request.raw, reply.raw, maxBodyBytes));
    try {
      const joined = await join(asked, place, { ...options, audience: await readAudience() });
      return await reply.code(201).send(joined);
    } catch (thrown) {
      const { code, message: reason } = toError(thrown);
      const { rule, cloud } = asked;
      logger.info('a machine may not join', { ...place, rule, cloud, code, reason });
      throw apiError('Forbidden', 'the machine may not join: the log of the landscape has the reason');
    }
  });
}

const tooMany = (waitMs: number): ChandleryError =>
  apiError('TooManyRequests', 'too many joins from this address', { retryAfterSeconds: Math.ceil(waitMs / 1000) });

async function join(
  asked: JoinRequest,
  { cluster, namespace }: Place,
  { verifier, connectOwn, now, audience }: JoinRouteOptions & { readonly audience: string },
) {
  const time = now();
  const target = { audience, place: joinPlace(audience, cluster, namespace) };
  const proven = await proveMachine(asked, target, { verifier, now: time });
  await using client = await connectOwn(cluster);
  if (client === undefined) throw apiError('NotFound', `the landscape does not serve a cluster "${cluster}"`);
  const rule = await admitJoin(asked.rule, proven, { ...storeOf(client, namespace), now: time });
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

const storeOf = (client: Client, namespace: string): Omit<JoinDeps, 'now'> => ({
  findRule: name => client.get<MachineRule>({ ...machineRules.ref, namespace, name }).catch(ignoreNotFound),
  findJoin: name => client.get<MachineJoin>({ ...machineJoins.ref, namespace, name }).catch(ignoreNotFound),
  createJoin: async (name, spec) => {
    const object = machineJoins.object({ name, namespace }, spec);
    await client.create({ ...machineJoins.ref, namespace }, object).catch((thrown: unknown) => {
      throw isError(thrown, 'AlreadyExists') ? apiError('Conflict', thrown.message) : thrown;
    });
  },
  updateJoin: async object => {
    await client.update({ ...machineJoins.ref, namespace, name: object.metadata.name ?? '' }, object);
  },
});

const placeOf = ({ params }: HttpRequest): Place => params as Place;

/** The fields of a request, with the most characters that a genuine one has. */
const maxLengths: Readonly<Record<keyof JoinRequest, number>> = {
  ...{ rule: 253, cloud: 20, document: 32 * 1024, publicKey: 1000, time: 40, proof: 200 },
};
const fields = Object.keys(maxLengths) as (keyof JoinRequest)[];

function parseRequest(body: Buffer | undefined): JoinRequest {
  const parsed = parseJson(body);
  for (const field of fields) {
    const value = parsed[field];
    if (typeof value !== 'string') throw invalid(`${field} must be a text`);
    if (value.length > maxLengths[field]) throw invalid(`${field} must have at most ${maxLengths[field]} characters`);
  }
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
