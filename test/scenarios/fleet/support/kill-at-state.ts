import { ChandleryError, isError, type KubeObject } from '@chandlery/api';
import type { TestLandscape } from '@chandlery/testing';
import { clientOf } from '../../../durability/support/landscape-client.ts';

const instances = { group: 'fleet.chandlery.io', version: 'v1alpha1', plural: 'fleetinstances', namespace: 'fleet' };
const seenTimeoutMs = 60_000;

/** When the server is killed. */
export interface Kill {
  readonly state: string;
  /** Only instances with these names count. */
  readonly names: ReadonlySet<string>;
}

interface StoredInstance extends KubeObject {
  readonly spec?: { readonly name?: string };
  readonly status?: { readonly state?: string };
}

/**
 * Does something, kills the server with SIGKILL the moment an instance is seen in a state, and starts it again. What is
 * done meanwhile has to survive that.
 */
export async function killAtState(landscape: TestLandscape, kill: Kill, act: () => Promise<unknown>): Promise<void> {
  await using client = clientOf(landscape, 'onboarding');
  const { metadata } = await client.list(instances);
  const timeout = AbortSignal.timeout(seenTimeoutMs);
  const events = client.watch<StoredInstance>(instances, {
    ...(metadata.resourceVersion === undefined ? {} : { resourceVersion: metadata.resourceVersion }),
    signal: timeout,
  });
  const acting = act();
  // Awaited below; until then its failure must not end the process.
  acting.catch(() => undefined);
  let isSeen = false;
  try {
    for await (const { object } of events) {
      if (object.status?.state !== kill.state || !kill.names.has(object.spec?.name ?? '')) continue;
      landscape.process.signal('SIGKILL');
      isSeen = true;
      break;
    }
  } catch (error) {
    if (!isError(error, 'ConnectionFailed')) throw error;
  }
  if (!isSeen) throw new ChandleryError('NotSeen', `no instance was seen in state ${kill.state}`);
  await landscape.kill9();
  await landscape.restart();
  await acting;
}
