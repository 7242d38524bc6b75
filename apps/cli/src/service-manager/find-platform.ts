import { ambiguous, missing } from './lookup-errors.ts';
import { having } from './queries.ts';
import type { SmClient } from './sm-client.ts';
import { smKinds } from './sm-kinds.ts';

const kind = smKinds.platforms;

/** The id of a platform that is named by its id or its name. Rejects with `NotFound` and `Ambiguous`. */
export async function platformIdOf(sm: SmClient, idOrName: string): Promise<string> {
  const [byId] = await having(sm, kind, { field: 'id', value: idOrName });
  if (byId !== undefined) return byId.id;
  const [first, ...others] = await having(sm, kind, { field: 'name', value: idOrName });
  if (first === undefined) throw missing(kind, idOrName);
  if (others.length === 0) return first.id;
  const printed = [first, ...others].map(({ id, type }) => `${id} (type ${type})`).join(', ');
  throw ambiguous(`several platforms have the name "${idOrName}": ${printed}`, 'its id instead of its name');
}
