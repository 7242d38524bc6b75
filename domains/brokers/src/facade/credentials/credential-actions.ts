import { ChandleryError, isError, type JsonObject } from '@chandlery/api';
import { notFound, type SmError, smError } from '../../errors.ts';
import { globalTenant } from '../../kinds/index.ts';
import {
  type CredentialRow,
  createRow,
  type NotificationRow,
  type PlatformRow,
  type Registry,
  updateRow,
} from '../../model/rows.ts';
import type { PlatformCaller } from '../../ports.ts';
import { unauthorized } from '../rest/access/tenants.ts';
import type { CredentialActions } from '../rest/documents/credential-routes.ts';
import { retryConflicts } from '../shared/retry-conflicts.ts';
import { readCredentials, type SentCredentials } from './read-credentials.ts';

/** `PUT /v1/credentials` and `PUT /v1/credentials/{id}/activate`: the credentials by which platforms call brokers through us. */
export function createCredentialActions({ registry }: { readonly registry: Registry }): CredentialActions {
  return {
    async put(caller, body, query) {
      const sent = readCredentials(body);
      const isForced = query.get('force') === 'true';
      const id = await retryConflicts(() => putOnce(registry, caller, { sent, isForced }));
      const { status, body: view } = response(registry, id);
      // Agents compare the hash with theirs. Another request of the platform may have replaced it: each gets its own.
      return { status, body: { ...view, username: sent.username, password_hash: sent.passwordHash } };
    },
    async activate({ platformId }, id) {
      await retryConflicts(() => activateOnce(registry, platformId, id));
      return response(registry, id);
    },
  };
}

interface Put {
  readonly sent: SentCredentials;
  readonly isForced: boolean;
}

async function putOnce(registry: Registry, caller: PlatformCaller, put: Put): Promise<string> {
  const platform = platformOf(registry, caller);
  checkBroker(registry, platform, put.sent);
  checkNotification(registry, platform, put.sent);
  const { brokerId } = put.sent;
  const known = [...registry.credentials.by('platformId', platform.id)].find(({ spec }) => spec.brokerId === brokerId);
  try {
    return known === undefined ? await create(registry, platform, put.sent) : await replace(registry, known, put);
  } catch (thrown) {
    throw explain(thrown);
  }
}

async function create(registry: Registry, { id: platformId, tenant }: PlatformRow, sent: SentCredentials) {
  const { brokerId, username, passwordHash } = sent;
  const id = registry.newId();
  const spec = { platformId, brokerId, username, passwordHash, isActive: false };
  await registry.commit([createRow({ table: 'credentials', id, tenant, spec, status: { ready: true } })]);
  return id;
}

async function replace(registry: Registry, row: CredentialRow, { sent, isForced }: Put): Promise<string> {
  const isAllowed = row.spec.isActive !== true || isForced || sent.notificationId !== undefined;
  if (!isAllowed)
    throw credentialsError(
      409,
      'the platform uses its credentials for this broker; they are replaced with force=true only',
    );
  if (isStored(row.spec, sent)) return row.id;
  await registry.commit([updateRow({ table: 'credentials', row, spec: replacedCredentials(row.spec, sent) })]);
  return row.id;
}

async function activateOnce(registry: Registry, platformId: string, id: string): Promise<void> {
  const row = registry.credentials.get(id);
  // Those of others do not exist for a platform.
  if (row?.spec.platformId !== platformId) throw notFound('broker platform credentials');
  if (row.spec.isActive === true && row.spec.old === undefined) return;
  await registry.commit([updateRow({ table: 'credentials', row, spec: confirmedCredentials(row.spec) })]);
}

function platformOf({ platforms }: Registry, { platformId }: PlatformCaller): PlatformRow {
  const platform = platforms.get(platformId);
  if (platform === undefined) throw unauthorized();
  return platform;
}

/** A tenant's broker does not exist for the platforms of others. */
function checkBroker({ brokers }: Registry, { tenant }: PlatformRow, { brokerId }: SentCredentials): void {
  const broker = brokers.get(brokerId);
  if (broker?.tenant !== globalTenant && broker?.tenant !== tenant) throw notFound('service broker');
}

function checkNotification({ notifications }: Registry, { id: platformId }: PlatformRow, sent: SentCredentials): void {
  const { notificationId, brokerId } = sent;
  if (notificationId === undefined) return;
  const notification = notifications.get(notificationId);
  if (notification === undefined || !isAbout(notification, { platformId, brokerId }))
    throw credentialsError(400, 'there is no such notification for this platform and broker');
}

/** Another request of the same platform that was faster is a lost race; a user name that is taken is not. */
function explain(thrown: unknown): unknown {
  if (!isError(thrown, 'UniqueViolation')) return thrown;
  if (thrown.details.kind === 'username') return credentialsError(409, 'the user name is taken for this broker');
  return new ChandleryError('Conflict', 'the platform has stored other credentials meanwhile', { cause: thrown });
}

const credentialsError = (status: number, message: string): SmError => smError('CredentialsError', message, { status });

function response({ credentials }: Registry, id: string): { status: number; body: JsonObject } {
  const row = credentials.get(id);
  if (row === undefined) throw notFound('broker platform credentials');
  return { status: 200, body: credentialView(row) };
}

/** A record as its platform sees it. A hash is shown to its sender only, in the response to the request that stored it. */
const credentialView = ({ id, createdAt, updatedAt, spec, status }: CredentialRow): JsonObject => ({
  id,
  ready: status.ready ?? false,
  created_at: createdAt,
  updated_at: updatedAt,
  platform_id: spec.platformId,
  broker_id: spec.brokerId,
  username: spec.username,
  active: spec.isActive ?? false,
});

type CredentialSpec = CredentialRow['spec'];

/** Whether a notification concerns this platform and this broker. */
function isAbout(
  { spec }: NotificationRow,
  { platformId, brokerId }: { readonly platformId: string; readonly brokerId: string },
): boolean {
  const isForPlatform = spec.platformIds?.includes(platformId) ?? true;
  return spec.resource === '/v1/service_brokers' && spec.resourceId === brokerId && isForPlatform;
}

/** So many unconfirmed pairs hold at a time: a platform that never confirms does not collect them. */
const maxUnconfirmed = 3;

/**
 * The stored credentials after a platform sends another pair. The new pair is unconfirmed, so pairs that may be in use
 * stay valid: the previous one if it was confirmed or is the only one, otherwise the one kept before, and the last
 * unconfirmed ones, because a platform may use a pair without having confirmed it.
 */
function replacedCredentials(spec: CredentialSpec, sent: SentCredentials): CredentialSpec {
  const { platformId, brokerId, username, passwordHash, isActive = false } = spec;
  const next = { platformId, brokerId, username: sent.username, passwordHash: sent.passwordHash, isActive: false };
  const present = { username, passwordHash };
  if (isActive || spec.old === undefined) return { ...next, old: present };
  return { ...next, old: spec.old, tried: [...(spec.tried ?? []), present].slice(-maxUnconfirmed) };
}

/** Whether the same pair is stored already, so that a repeated request changes nothing. */
const isStored = (spec: CredentialSpec, { username, passwordHash }: SentCredentials): boolean =>
  spec.username === username && spec.passwordHash === passwordHash;

/** What is stored when a platform confirms that it uses the new pair: all others end. */
function confirmedCredentials({ old: _old, tried: _tried, ...spec }: CredentialSpec): CredentialSpec {
  return { ...spec, isActive: true };
}
