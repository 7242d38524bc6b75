import { join } from 'node:path';
import type { HttpClient } from '@chandlery/client';
import { type RunningProcess, startTestLandscape, type TestCluster, type TestLandscape } from '@chandlery/testing';
import type {
  CloudBinding,
  CloudInstance,
} from '../../../../apps/proxy/src/adapters/cloud-foundry/test-cloud-consumer.ts';
import {
  startCloudController,
  type TestCloudController,
} from '../../../../apps/proxy/src/adapters/cloud-foundry/test-cloud-controller.ts';
import { type BrokerCatalog, defaultCatalog } from '../../../../domains/brokers/src/test-broker/default-catalog.ts';
import {
  type ScriptedBroker,
  startScriptedBroker,
} from '../../../../domains/brokers/src/test-broker/scripted-broker.ts';
import { clientOf, compileCache } from '../../../durability/support/landscape-client.ts';
import { Manager } from './manager.ts';
import { type PlatformLogin, startProxyProcess } from './proxies.ts';

/** The ids under which everything is registered: the operator may choose them. */
export const ids = { cluster: 'cluster-a', cloud: 'cloud-b', databases: 'databases', queues: 'queues' } as const;

/** The organization of the cloud that may order, and one that may not. */
export const place = { organization: 'org-a', space: 'space-1' } as const;
export const otherOrganization = 'org-b';

/** Two platforms, two brokers, and the service manager between them. */
export interface StoryWorld extends AsyncDisposable {
  readonly manager: Manager;
  readonly databases: ScriptedBroker;
  readonly queues: ScriptedBroker;
  /** Platform A. */
  readonly cluster: TestCluster;
  readonly clusterClient: HttpClient;
  /** Platform B. */
  readonly cloud: TestCloudController;
  readonly proxies: { cluster?: RunningProcess; cloud?: RunningProcess };
  startProxies(logins: { readonly cluster: PlatformLogin; readonly cloud: PlatformLogin }): Promise<void>;
  /** What the users of the cloud have. */
  readonly ordered: {
    reference?: CloudInstance;
    referenceBinding?: CloudBinding;
    queue?: CloudInstance;
    queueBinding?: CloudBinding;
  };
  /** Pulls the plug of the service manager, and starts it again. */
  killManager(): Promise<void>;
  /** The last lines that proxies and server have printed. */
  logs(): string;
  /** Whether the service manager was away since the world began. */
  readonly hadOutage: boolean;
}

/** Waits of the service manager that matter here are short. */
const managerSettings = { pollingIntervalMs: 30, mitigationIntervalMs: 100, maxPingPeriodMs: 2000 };

/** The default catalog; its databases can be shared also in a plan that takes a while. */
function sharedDatabases(): BrokerCatalog {
  const { services } = defaultCatalog();
  const plan = {
    id: 'database-async-shared',
    name: 'async-shared',
    description: 'A database to share.',
    metadata: { supportsInstanceSharing: true },
  };
  return {
    services: services.map((service, at) => (at === 0 ? { ...service, plans: [...service.plans, plan] } : service)),
  };
}

/** Where platform A is: a cluster of the landscape that gets killed, or of one that does not. */
export interface StoryWorldOptions {
  readonly clusterName: string;
  readonly elsewhere?: TestLandscape;
}

export const startManagerLandscape = (): Promise<TestLandscape> =>
  startTestLandscape({ env: { ...compileCache, CHANDLERY_SERVICE_MANAGER: JSON.stringify(managerSettings) } });

export async function startStoryWorld({ clusterName, elsewhere }: StoryWorldOptions): Promise<StoryWorld> {
  await using stack = new AsyncDisposableStack();
  const landscape = stack.use(await startManagerLandscape());
  const home = elsewhere ?? landscape;
  const cluster = await home.createCluster(clusterName);
  const clusterClient = stack.use(clientOf(home, clusterName));
  const databases = stack.use(await startScriptedBroker({ catalog: sharedDatabases(), asyncPolls: 0 }));
  const queues = stack.use(await startScriptedBroker({ catalog: defaultCatalog('-2') }));
  const organizations = [place.organization, otherOrganization];
  const cloud = stack.use(await startCloudController({ organizations, caPem: landscape.ca }));
  const proxies: StoryWorld['proxies'] = {};
  let outages = 0;
  const common = { serviceManagerUrl: landscape.url, serviceManagerCa: join(landscape.dataDir, 'ca.crt') };
  const all = stack.move();
  return {
    manager: new Manager(landscape),
    databases,
    queues,
    cluster,
    clusterClient,
    cloud,
    proxies,
    ordered: {},
    startProxies: async logins => {
      const kubernetes = ['--kubeconfig', home.kubeconfig, '--kube-context', clusterName];
      const quick = ['--broker-poll-ms', '50', '--broker-retry-ms', '100'];
      proxies.cluster = all.use(
        await startProxyProcess({ ...common, login: logins.cluster, flags: [...kubernetes, ...quick] }),
      );
      const { user, url } = cloud;
      const cloudFoundry = ['--platform', 'cloudfoundry', '--cf-api', url, '--cf-user', user.username];
      proxies.cloud = all.use(
        await startProxyProcess({
          ...common,
          login: logins.cloud,
          flags: [...cloudFoundry, '--cf-job-poll-ms', '100'],
          env: { CHANDLERY_PROXY_CF_PASSWORD: user.password },
        }),
      );
    },
    killManager: async () => {
      outages += 1;
      await landscape.kill9();
      await landscape.restart();
    },
    logs: () =>
      Object.entries({ ...proxies, server: landscape.process })
        .map(([name, process]) => `--- ${name}\n${process.output().slice(-4000)}`)
        .join('\n'),
    get hadOutage() {
      return outages > 0;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
