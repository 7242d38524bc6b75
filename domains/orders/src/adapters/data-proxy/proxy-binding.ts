import { urnOf } from '../../model/urns.ts';
import type { BoundOrder, DataProxyBinding } from '../../order-ports.ts';

/** Folders that are private to each node. */
const folders = { in: '/data/in', out: '/data/out', cache: '/data/cache' } as const;

/** Where containers write their results. */
const resultPath = '/result.ivcap.json';

/** Returns what a container needs to reach a proxy on its own machine. `base`: the URL with the token of the order. */
export function proxyBinding(base: string, { id, queue }: BoundOrder): DataProxyBinding {
  const env = {
    IVCAP_INSIDE_CONTAINER: 'Yes',
    IVCAP_ORDER_ID: urnOf('order', id),
    IVCAP_BASE_URL: base,
    IVCAP_STORAGE_URL: base,
    IVCAP_CACHE_URL: `${base}/cache`,
    IVCAP_QUEUE_URL: queue === undefined ? `${base}/1/queues` : `${base}/${urnOf('queue', queue)}`,
    SECRETMGR_PROXY: base,
    IVCAP_IN_DIR: folders.in,
    IVCAP_OUT_DIR: folders.out,
    IVCAP_CACHE_DIR: folders.cache,
    IVCAP_SCHEMA_PREFIX: 'urn:ivcap:',
    IVCAP_RESULT_PATH: resultPath,
  };
  const names = Object.keys(folders) as (keyof typeof folders)[];
  return {
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    volumes: names.map(name => ({ name: `ivcap-${name}`, emptyDir: {} })),
    volumeMounts: names.map(name => ({ name: `ivcap-${name}`, mountPath: folders[name] })),
    sidecars: [],
    annotations: {},
    resultPath,
  };
}
