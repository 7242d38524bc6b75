import type { StatedCondition } from '@chandlery/runtime';
import type { Provider } from '../../kinds/index.ts';
import {
  type Deviation,
  deviationOf,
  type HeldDefinition,
  initElsewhere,
  isInstalledBy,
} from '../../model/operator/held-definitions.ts';
import { ownDefinitions } from '../../model/operator/own-kinds.ts';
import type { OperatorDeps } from './operator-deps.ts';

/**
 * Keeps the definitions of a provider as its init left them: they are stored once for each run of init, and restored
 * when another client changed or deleted them. Returns a condition; undefined when nothing changed.
 */
export async function holdApi(
  provider: Provider,
  deps: OperatorDeps,
): Promise<Omit<StatedCondition, 'type'> | undefined> {
  const held = deps.heldDefinitions(provider);
  const init = deps.findJob(provider)?.metadata.uid ?? initElsewhere;
  if (!held.some(each => each.init === init) && (held.length > 0 || hasDefinitions(provider, deps))) {
    await deps.holdDefinitions(provider, init);
    return undefined;
  }
  const troubles: string[] = [];
  for (const each of held) {
    const trouble = await holdDefinition(provider, deps, each);
    if (trouble !== undefined) troubles.push(trouble);
  }
  if (troubles.length === 0) return undefined;
  return { status: 'False', reason: 'DefinitionsRestored', message: troubles.sort().join(' ') };
}

function hasDefinitions(provider: Provider, deps: OperatorDeps): boolean {
  const { name = '' } = provider.metadata;
  return [deps.platformDefinitions(), deps.onboardingDefinitions()].some(all => ownDefinitions(all, name).length > 0);
}

async function holdDefinition(
  provider: Provider,
  deps: OperatorDeps,
  held: HeldDefinition,
): Promise<string | undefined> {
  const { cluster, definition } = held;
  const { name = '' } = definition.metadata;
  const live = await deps.findDefinition(held);
  const deviation = deviationOf(held, live);
  if (deviation === undefined) return undefined;
  const what = `CustomResourceDefinition ${name} on the ${cluster} cluster`;
  if (deviation === 'leaving') return `${what} is being deleted with all of its objects, and is made again afterwards.`;
  if (live !== undefined && isInstalledBy(live, `provider.${provider.metadata.name}`)) {
    await deps.holdDefinitions(provider, held.init);
    return undefined;
  }
  await deps.putBack(held, live);
  const message = `${what} had been ${deeds[deviation]} by another client and was restored.`;
  deps.record(provider, { type: 'Warning', reason: 'APIRestored', message });
  return message;
}

const deeds: Readonly<Record<Exclude<Deviation, 'leaving'>, string>> = { missing: 'deleted', changed: 'changed' };
