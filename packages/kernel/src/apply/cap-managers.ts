import { unionFields } from './field-set.ts';
import { compareTimes, type Manager, managerIdentity, newEntry } from './managed-fields.ts';

/** So many Update entries an object may have, as in Kubernetes. */
const maxUpdateManagers = 10;

/** Who owns what the oldest updaters owned. */
const ancientManager = 'ancient-changes';

/**
 * Folds the oldest Update entries into one `ancient-changes` entry per API version until few enough are left, so that
 * clients with ever new names do not make an object grow without end.
 */
export function capUpdateManagers(managers: readonly Manager[]): readonly Manager[] {
  const updaters = managers.filter(isUpdater);
  let excess = updaters.length - maxUpdateManagers;
  if (excess <= 0) return managers;
  const kept = new Map(managers.map(manager => [managerIdentity(manager.entry), manager]));
  const oldestOfVersion = new Map<string, Manager>();
  for (const updater of updaters.sort(byAge)) {
    if (excess === 0) break;
    const version = updater.entry.apiVersion ?? '';
    const older = oldestOfVersion.get(version);
    const folded = older === undefined ? updater : fold(older, updater);
    if (older !== undefined) {
      kept.delete(managerIdentity(older.entry));
      kept.delete(managerIdentity(updater.entry));
      kept.set(managerIdentity(folded.entry), folded);
      excess--;
    }
    oldestOfVersion.set(version, folded);
  }
  return [...kept.values()];
}

const isUpdater = ({ entry }: Manager): boolean => entry.operation === 'Update';

function byAge(a: Manager, b: Manager): number {
  const [left, right] = [managerIdentity(a.entry), managerIdentity(b.entry)];
  return compareTimes(a.entry.time, b.entry.time) || (left < right ? -1 : left > right ? 1 : 0);
}

/** The bucket takes the younger one's time: that is when it last changed. */
function fold(older: Manager, younger: Manager): Manager {
  const { apiVersion = '', time = '' } = younger.entry;
  return {
    entry: newEntry({ manager: ancientManager, operation: 'Update', apiVersion }, time),
    fields: unionFields(older.fields, younger.fields),
  };
}
