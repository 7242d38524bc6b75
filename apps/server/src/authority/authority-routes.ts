import { randomUUID, X509Certificate } from 'node:crypto';
import { apiError, badRequest, isRecord, parseJson, toError } from '@chandlery/api';
import { type AuditLog, auditOfRequest, type HttpHost, type HttpRequest, httpStatusOf } from '@chandlery/http';
import { platformCluster, type UserInfo } from '@chandlery/kernel';
import type { CertificateAuthority, Clock } from '@chandlery/platform';
import type { ReplicaState } from '../replicas/replica-report.ts';
import type { CertificateUser, CertificateUsers } from './certificate-users.ts';
import type { LandscapeAuthority } from './landscape-authority.ts';
import { commonNameOf, dropOld, type Rotation, trustNew, useNew } from './rotation.ts';

export interface AuthorityRoutesDeps {
  readonly authority: LandscapeAuthority;
  readonly users: Pick<CertificateUsers, 'list' | 'clear'>;
  /** The replicas that run, this one included. */
  readonly replicas: () => Promise<readonly (Pick<ReplicaState, 'authorityVersion'> & { readonly name: string })[]>;
  /** Identifies who runs the landscape; rejects others. */
  readonly guard: (request: HttpRequest) => Promise<UserInfo>;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly clock: Clock;
}

type Stage = 'trust' | 'use' | 'drop';

interface StageRequest {
  readonly stage: Stage;
  /** Default: the old authority is dropped by a command only. */
  readonly dropAfterSeconds: number | undefined;
  /** Drops the old authority although certificates of it were used lately. */
  readonly isForced: boolean;
}

const path = '/admin/certificate-authority';
/** Bodies are a few words. */
const maxBodyBytes = 4096;
/** Who has shown an old certificate within this time is asked about before the old authority is dropped. */
const recentMs = 24 * 3600 * 1000;
/** No more names are in a message. */
const maxNamed = 5;
const maxDropSeconds = 10 * 365 * 24 * 3600;

/** The API of `chandlery ca`: the state of the certificate authority, and the stages of its rotation. */
export function addAuthorityRoutes(host: HttpHost, deps: AuthorityRoutesDeps): void {
  host.app.get(path, async request => {
    await deps.guard(request);
    return describe(deps);
  });
  host.app.post(path, async (request, reply) => {
    const startedAtMs = performance.now();
    const record = (user: UserInfo | undefined, code: number): void =>
      deps.audit.record(entryOf(request, { user, code, startedAtMs }));
    let user: UserInfo | undefined;
    try {
      user = await deps.guard(request);
      const wanted = parseStage(await host.readBody(request.raw, reply.raw, maxBodyBytes));
      await enter(wanted, user, deps);
      record(user, 200);
      return await describe(deps);
    } catch (error) {
      record(user, httpStatusOf(toError(error)));
      throw error;
    }
  });
}

const entryOf = (
  request: HttpRequest,
  found: { readonly user: UserInfo | undefined; readonly code: number; readonly startedAtMs: number },
): Parameters<AuditLog['record']>[0] => ({
  ...auditOfRequest(request.raw, found.startedAtMs),
  time: new Date().toISOString(),
  id: randomUUID(),
  user: found.user?.username ?? '',
  groups: found.user?.groups ?? [],
  cluster: platformCluster,
  group: '',
  version: 'v1',
  resource: 'certificateauthority',
  verb: 'update',
  code: found.code,
});

async function enter(wanted: StageRequest, user: UserInfo, deps: AuthorityRoutesDeps): Promise<void> {
  const { authority, users, clock } = deps;
  const now = clock.now();
  if (wanted.stage !== 'trust') await assertReplicasFollow(deps);
  if (wanted.stage === 'drop' && !wanted.isForced) await assertUnused(deps);
  const { dropAfterSeconds } = wanted;
  const dropAt =
    dropAfterSeconds === undefined ? undefined : new Date(now.getTime() + dropAfterSeconds * 1000).toISOString();
  await authority.change((rotation, make) => {
    switch (wanted.stage) {
      case 'trust':
        return trustNew(rotation, make, now);
      case 'use':
        return useNew(rotation, dropAt, now);
      case 'drop':
        return dropOld(rotation, now);
    }
  }, user);
  if (authority.rotation.phase === 'settled') await users.clear();
}

/** A replica that does not know the new authority would reject its certificates. */
async function assertReplicasFollow({ authority, replicas }: AuthorityRoutesDeps): Promise<void> {
  const { version } = authority.rotation;
  const behind = (await replicas()).filter(({ authorityVersion }) => authorityVersion < version);
  if (behind.length === 0) return;
  throw apiError('Conflict', `not all replicas follow the last stage yet: ${listed(behind.map(({ name }) => name))}`);
}

/** Programs of the landscape read again whom to trust within this time: pods, agents, providers. */
const settlingMs = 3600 * 1000;

async function assertUnused({ authority, users, clock }: AuthorityRoutesDeps): Promise<void> {
  const { phase, since: began = '' } = authority.rotation;
  const readyAt = Date.parse(began) + settlingMs;
  if (phase === 'issuing' && readyAt > clock.now().getTime())
    throw apiError('Conflict', `programs may trust the old authority alone until ${new Date(readyAt).toISOString()}`);
  const since = new Date(clock.now().getTime() - recentMs).toISOString();
  const recent = (await users.list()).filter(({ lastSeen }) => lastSeen > since);
  if (recent.length === 0) return;
  const names = listed(recent.map(({ user }) => user));
  throw apiError('Conflict', `certificates of the old authority were used in the last 24 hours, by ${names}`);
}

const listed = (names: readonly string[]): string =>
  `${names.slice(0, maxNamed).join(', ')}${names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''}`;

function parseStage(body: Buffer | undefined): StageRequest {
  const value: unknown = body === undefined ? undefined : parseJson(body.toString());
  if (!isRecord(value)) throw badRequest('the body must be a JSON object');
  const { stage, dropAfterSeconds, force = false } = value;
  if (stage !== 'trust' && stage !== 'use' && stage !== 'drop')
    throw badRequest('stage must be "trust", "use" or "drop"');
  if (typeof force !== 'boolean') throw badRequest('force must be true or false');
  return { stage, dropAfterSeconds: secondsOf(dropAfterSeconds), isForced: force };
}

function secondsOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= maxDropSeconds) return value;
  throw badRequest(`dropAfterSeconds must be a number of seconds up to ${maxDropSeconds}`);
}

/** What `chandlery ca status` shows. */
interface AuthorityDocument extends Pick<Rotation, 'phase' | 'version' | 'since' | 'dropAt'> {
  readonly present: AuthoritySummary;
  readonly old?: AuthoritySummary;
  readonly replicas: readonly { readonly name: string; readonly isFollowing: boolean }[];
  readonly usersOfOld: readonly CertificateUser[];
}

interface AuthoritySummary {
  readonly name: string;
  readonly notAfter: string;
  /** SHA-256, as openssl prints it. */
  readonly fingerprint: string;
}

async function describe({ authority, replicas, users }: AuthorityRoutesDeps): Promise<AuthorityDocument> {
  const { phase, version, since, dropAt, present, old } = authority.rotation;
  return {
    phase,
    version,
    since,
    dropAt,
    present: summaryOf(present),
    ...(old && { old: summaryOf(old) }),
    replicas: (await replicas()).map(({ name, authorityVersion }) => ({
      name,
      isFollowing: authorityVersion >= version,
    })),
    usersOfOld: old === undefined ? [] : await users.list(),
  };
}

const summaryOf = (authority: CertificateAuthority): AuthoritySummary => ({
  name: commonNameOf(authority),
  notAfter: authority.notAfter.toISOString(),
  fingerprint: new X509Certificate(authority.certificatePem).fingerprint256,
});
