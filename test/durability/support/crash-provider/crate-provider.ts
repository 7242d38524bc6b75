import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineProvider, type KubeObject, type ServiceContext } from '@chandlery/sdk';
import { type Crate, type CrateConfig, crateConfigs, crates } from './kinds.ts';

type Context = ServiceContext<CrateConfig>;

const writing = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

/** The world beyond the clusters: a folder with a file for each crate. */
const fileOf = ({ instanceId }: Context): string => join(process.env['CRATES_FOLDER'] ?? '.', instanceId);

function contents({ spec }: Crate, namespace: string): readonly KubeObject[] {
  const metadata = { name: 'content', namespace };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { content: spec.content } },
    { apiVersion: 'v1', kind: 'Secret', metadata, data: { content: Buffer.from(spec.content).toString('base64') } },
  ];
}

/** Serves crates: one way to the workload cluster for all of them, and no control plane. */
export const crateProvider = defineProvider<Crate, CrateConfig>({
  api: crates,
  config: crateConfigs,
  clusters: {
    workload: {
      per: 'provider',
      permissions: [
        { rules: [{ apiGroups: [''], resources: ['namespaces', 'configmaps', 'secrets'], verbs: writing }] },
      ],
    },
  },
  service: {
    desired: (crate, { instanceNamespace }) =>
      contents(crate, instanceNamespace).map(object => ({ cluster: 'workload', object })),
    observe: async ({ spec }, context) => {
      const file = fileOf(context);
      const found = await readFile(file, 'utf8').catch(() => undefined);
      const isSame = found === spec.content;
      return {
        exists: found !== undefined,
        differences: found === undefined || isSame ? [] : ['The file has other content.'],
        isReady: isSame,
        ...(isSame ? { connection: { file } } : {}),
      };
    },
    createOrUpdate: ({ spec }, context) => writeFile(fileOf(context), spec.content),
    delete: (_, context) => rm(fileOf(context), { force: true }),
  },
});
