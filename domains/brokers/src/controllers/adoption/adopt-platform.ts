import type { WorkResult } from '@chandlery/runtime';
import { newPlatformCredentials } from '../../actions/platform-credentials.ts';
import { ownPlatformId } from '../../kinds/index.ts';
import { available, notSynced, statedConditions, synced } from '../../model/operations/row-conditions.ts';
import { secretNameOf } from '../../model/operations/secret-name.ts';
import { type PlatformRow, updateRow } from '../../model/rows.ts';
import { removePlatform } from '../operations/remove-platform.ts';
import { type AdoptionDeps, state } from './adoption-deps.ts';

/** Gives a platform that kubectl made its credentials, and ends one that kubectl deleted. */
export async function adoptPlatform(deps: AdoptionDeps, row: PlatformRow): Promise<WorkResult> {
  if (row.id === ownPlatformId) return 'done';
  if (row.isDeleting) return endPlatform(deps, row);
  if (row.status.ready === undefined) return initialize(deps, row);
  const isSeen = row.status.observedGeneration === undefined || row.status.observedGeneration === row.generation;
  if (!isSeen) await state(deps, { table: 'platforms', row }, [available, synced]);
  return 'done';
}

async function initialize({ registry, clock }: AdoptionDeps, row: PlatformRow): Promise<WorkResult> {
  const status = {
    ...row.status,
    ready: true,
    observedGeneration: row.generation,
    conditions: statedConditions(row, [available, synced], clock.now()),
  };
  if (row.spec.technical === true) {
    await registry.commit([updateRow({ table: 'platforms', row, status })]);
    return 'done';
  }
  const { username, password, stored } = newPlatformCredentials();
  const name = secretNameOf('platform', row.id);
  await registry.commit([
    updateRow({ table: 'platforms', row, status: { ...status, credentials: stored, credentialsSecret: name } }),
    { type: 'put-secret', tenant: row.tenant, name, data: { username, password } },
  ]);
  return 'done';
}

/** Instances must go first; the last of them to go wakes the platform. */
async function endPlatform(deps: AdoptionDeps, row: PlatformRow): Promise<WorkResult> {
  const { registry } = deps;
  const instances = registry.instances.count('platformId', row.id);
  if (instances === 0) {
    await removePlatform(registry, row.id, () => []);
    return 'done';
  }
  const message = `${instances} service instances of it must be deleted first`;
  await state(deps, { table: 'platforms', row }, [notSynced('InstancesExist', message)]);
  return 'done';
}
