import { ChandleryError, type KubeObject } from '@chandlery/api';
import type { Client } from '@chandlery/client';
import type { Logger } from '@chandlery/platform';
import { serviceKey } from '../model/service-name.ts';
import { type BindingGrants, type MeshTopology, noGrants } from '../ports/mesh-topology.ts';
import { ChangeNotifier } from './change-notifier.ts';
import { httpMatchesOf } from './resolve-routes.ts';
import { SplitTable } from './split-table.ts';
import { TargetTable } from './target-table.ts';
import { TopologyInformers } from './topology-informers.ts';

export interface TopologyOptions {
  /** Client of the cluster that holds the SMI objects. Not disposed of. */
  readonly topologyClient: Client;
  readonly isPermissive: boolean;
  /** The access that bindings of service instances give. Default: none. */
  readonly grants?: BindingGrants;
  /** Receives warnings about kinds that cannot be read. Default: none. */
  readonly logger?: Pick<Logger, 'warn'>;
}

/** Reads the policies of a mesh from their cluster, and keeps them up to date until disposed of. */
export function createTopology(options: TopologyOptions): MeshTopology {
  const { isPermissive, grants = noGrants } = options;
  const informers = new TopologyInformers(options);
  const notifier = new ChangeNotifier();
  const { splits, targets } = policyTables(informers, notifier);
  const synced = informers.start([grants.synced]);
  const unsubscribe = grants.subscribe(changes => notifier.grants(changes));
  return {
    synced: synced.promise,
    get isSynced() {
      return informers.areSynced && grants.isSynced;
    },
    get missingKinds() {
      return informers.missingKinds;
    },
    isPermissive,
    listTrafficSplits: () => splits.list(),
    splitOf: root => splits.of(serviceKey(root)),
    splitsTo: backend => splits.to(serviceKey(backend)),
    listTrafficTargets: () => targets.list(),
    targetsTo: destination => targets.to(serviceKey(destination)),
    targetsFrom: source => targets.from(serviceKey(source)),
    grantsTo: service => grants.grantsTo(service),
    subscribe: listener => notifier.subscribe(listener),
    async [Symbol.asyncDispose]() {
      notifier.end();
      unsubscribe();
      synced.reject(new ChandleryError('Stopped', 'the topology was stopped before it was read'));
      await informers.stop();
    },
  };
}

function policyTables(
  informers: TopologyInformers,
  notifier: ChangeNotifier,
): { readonly splits: SplitTable; readonly targets: TargetTable } {
  const { groups, tcp } = informers;
  const httpMatches = (namespace: string, name: string) => {
    const group = groups.get(namespace, name);
    return group && httpMatchesOf(group);
  };
  const splits = new SplitTable({
    splits: informers.splits,
    groupMatches: (namespace, name) => httpMatches(namespace, name) ?? [],
    onChange: changed => notifier.services(changed),
  });
  const targets = new TargetTable({
    targets: informers.targets,
    routes: {
      httpMatches,
      tcpPorts: (namespace, name) => {
        const route = tcp.get(namespace, name);
        return route && (route.spec?.matches?.ports ?? []);
      },
    },
    onChange: accounts => notifier.accounts(accounts),
  });
  const readGroup = (group: KubeObject): void => {
    splits.readGroup(group);
    targets.readRoute('HTTPRouteGroup', group);
  };
  const readTcp = (route: KubeObject): void => targets.readRoute('TCPRoute', route);
  groups.listen({ added: readGroup, updated: readGroup, deleted: readGroup });
  tcp.listen({ added: readTcp, updated: readTcp, deleted: readTcp });
  return { splits, targets };
}
