import { urnOf } from '../../model/urns.ts';
import type { BoundOrder, BoundService, DataProxyBinding } from '../../order-ports.ts';

/** Folders that are private to each node. */
const folders = { in: '/data/in', out: '/data/out', cache: '/data/cache' } as const;

/** Where containers write their results. */
const resultPath = '/result.ivcap.json';

/** Returns what a container needs to reach a proxy on its own machine. `base`: the URL with the token of the order. */
export function proxyBinding(base: string, { id, queue }: BoundOrder): DataProxyBinding {
  const env = {
    ...variablesOf(base),
    IVCAP_ORDER_ID: urnOf('order', id),
    IVCAP_QUEUE_URL: queue === undefined ? `${base}/1/queues` : `${base}/${urnOf('queue', queue)}`,
    IVCAP_RESULT_PATH: resultPath,
  };
  return { env: listOf(env), ...volumesOf(), sidecars: [], annotations: {}, resultPath };
}

/** As {@link proxyBinding}, for the process of a service, which belongs to no order. */
export const serviceBinding = (
  base: string,
  { id }: BoundService,
): Pick<DataProxyBinding, 'env' | 'volumes' | 'volumeMounts'> => ({
  env: listOf({ ...variablesOf(base), IVCAP_SERVICE_ID: urnOf('service', id), IVCAP_QUEUE_URL: `${base}/1/queues` }),
  ...volumesOf(),
});

const variablesOf = (base: string) => ({
  IVCAP_INSIDE_CONTAINER: 'Yes',
  IVCAP_BASE_URL: base,
  IVCAP_STORAGE_URL: base,
  IVCAP_CACHE_URL: `${base}/cache`,
  SECRETMGR_PROXY: base,
  IVCAP_IN_DIR: folders.in,
  IVCAP_OUT_DIR: folders.out,
  IVCAP_CACHE_DIR: folders.cache,
  IVCAP_SCHEMA_PREFIX: 'urn:ivcap:',
});

const listOf = (env: Readonly<Record<string, string>>): DataProxyBinding['env'] =>
  Object.entries(env).map(([name, value]) => ({ name, value }));

function volumesOf(): Pick<DataProxyBinding, 'volumes' | 'volumeMounts'> {
  const names = Object.keys(folders) as (keyof typeof folders)[];
  return {
    volumes: names.map(name => ({ name: `ivcap-${name}`, emptyDir: {} })),
    volumeMounts: names.map(name => ({ name: `ivcap-${name}`, mountPath: folders[name] })),
  };
}
