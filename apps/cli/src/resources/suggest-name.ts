import { ChandleryError, isError } from '@chandlery/api';
import { didYouMean } from '@chandlery/platform';
import type { Command, CommandContext } from '../command.ts';
import type { ServedKind } from './discover.ts';
import { collectionIn, openScope, type Scope } from './scope.ts';

/** More objects than this are not looked at for a similar name. */
const maxNames = 500;

/** A command whose errors about an object that is not there say where it is instead, or what the nearest name is. */
export const suggestingNames = (command: Command): Command => ({
  ...command,
  run: context =>
    command.run(context).catch(async (thrown: unknown) => {
      throw await suggestName(context, thrown);
    }),
});

async function suggestName(context: CommandContext, thrown: unknown): Promise<unknown> {
  if (!isError(thrown, 'NotFound') || thrown.hint !== undefined) return thrown;
  const { kind: plural, group = '', name } = thrown.details;
  if (plural === undefined || name === undefined) return thrown;
  try {
    await using scope = await openScope(context);
    const kind = scope.kinds.find(({ ref }) => ref.plural === plural && ref.group === group);
    if (kind === undefined) return thrown;
    const elsewhere = await namespacesOf(scope, kind, name).catch(() => []);
    const near = elsewhere.length > 0 ? '' : didYouMean(name, await namesOf(scope, kind));
    const hint = elsewhere.length > 0 ? isThere(elsewhere) : seeAll(context, kind);
    return new ChandleryError('NotFound', `${thrown.message}${near}`, { cause: thrown, details: thrown.details, hint });
  } catch {
    return thrown;
  }
}

async function namespacesOf({ client }: Scope, { ref, isNamespaced }: ServedKind, name: string): Promise<string[]> {
  if (!isNamespaced) return [];
  const { items } = await client.list(ref, { fieldSelector: `metadata.name=${name}`, limit: maxNames });
  return items.flatMap(({ metadata }) => metadata.namespace ?? []);
}

async function namesOf(scope: Scope, kind: ServedKind): Promise<string[]> {
  const { items } = await scope.client.list(collectionIn(scope, kind), { limit: maxNames });
  return items.map(({ metadata }) => metadata.name ?? '');
}

const maxNamespaces = 3;

function isThere(namespaces: readonly string[]): string {
  const [first = ''] = namespaces;
  const shown = namespaces.slice(0, maxNamespaces).map(namespace => `"${namespace}"`);
  return `There is one in the namespace ${shown.join(', ')}: add -n ${first}.`;
}

function seeAll({ flags }: CommandContext, { ref, isNamespaced }: ServedKind): string {
  const cluster = flags.text('cluster');
  const where = `${isNamespaced ? ' -A' : ''}${cluster === undefined ? '' : ` --cluster ${cluster}`}`;
  return `See what there is with "npx chandlery get ${ref.plural}${where}".`;
}
