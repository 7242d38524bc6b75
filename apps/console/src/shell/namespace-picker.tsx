import type { KubeObject } from '@chandlery/api';
import { collectionPath } from '../api/kinds.ts';
import { requestJson } from '../api/request.ts';
import { changeQuery } from '../routing/location.ts';
import { useLoaded } from '../ui/use-request.ts';
import { useCluster } from './cluster-context.tsx';

const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
/** A list longer than this is no help to choose from: the field takes any name. */
const maxSuggestions = 500;

/** Chooses the namespace that views show; a tenant's things are in one. */
export function NamespacePicker({ namespace }: { readonly namespace: string }) {
  const { cluster } = useCluster();
  const { value } = useLoaded(
    signal =>
      requestJson<{ items: readonly KubeObject[] }>(collectionPath(cluster, namespaces), {
        query: { limit: maxSuggestions },
        signal,
      }),
    [cluster],
  );
  const names = (value?.items ?? []).map(({ metadata }) => metadata.name ?? '');
  return (
    <label className="picker">
      <span>Namespace</span>
      <input
        key={namespace}
        list="namespaces"
        defaultValue={namespace}
        placeholder="all"
        spellCheck={false}
        autoComplete="off"
        onChange={({ target }) => {
          if (names.includes(target.value)) changeQuery({ ns: target.value, page: undefined });
        }}
        onBlur={({ target }) => {
          if (target.value !== namespace) changeQuery({ ns: target.value.trim(), page: undefined });
        }}
        onKeyDown={event => {
          if (event.key === 'Enter') event.currentTarget.blur();
        }}
      />
      <datalist id="namespaces">
        {names.map(name => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}
