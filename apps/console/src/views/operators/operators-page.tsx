import { changeQuery, useViewLocation, viewHref } from '../../routing/location.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { EmptyState } from '../../ui/notice.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ObjectList } from '../kind-list/kind-list-page.tsx';
import { BrokerPage } from './broker-page.tsx';
import { BrokersTab } from './brokers-tab.tsx';
import { brokersCluster, operatorKinds, providersCluster } from './operator-kinds.ts';
import { ProviderPage } from './provider-page.tsx';
import { VisibilitiesTab } from './visibilities-tab.tsx';

interface OperatorsPageProps {
  /** What is shown: `provider` or `broker`; empty: everything. */
  readonly part: string;
  readonly names: readonly string[];
}

/** Where services come from, and who may order them. */
export default function OperatorsPage({ part, names: [first = '', second = ''] }: OperatorsPageProps) {
  switch (part) {
    case 'provider':
      return <ProviderPage key={first} name={first} />;
    case 'broker':
      return <BrokerPage key={second} namespace={first} name={second} />;
    case '':
      return <Overview />;
    default:
      return <EmptyState isPage title={`There is no page "${part}" of providers and brokers`} />;
  }
}

const tabLabels = {
  providers: 'Providers',
  brokers: 'Brokers',
  platforms: 'Platforms',
  visibilities: 'Visibilities',
} as const;
type TabName = keyof typeof tabLabels;

/** Parameters of lists: those of one tab mean nothing to another. */
const listQuery = {
  q: undefined,
  labels: undefined,
  fields: undefined,
  state: undefined,
  page: undefined,
  sort: undefined,
};

function Overview() {
  const { query } = useViewLocation();
  const tabs = Object.keys(tabLabels) as TabName[];
  const selected = tabs.find(name => name === query.get('tab')) ?? 'providers';
  usePageTitle('Providers and brokers');
  return (
    <>
      <header className="page-head">
        <div>
          <h1>Providers & brokers</h1>
          <p className="quiet">Where services come from, and the platforms that may order them</p>
        </div>
      </header>
      <Tabs
        label="Providers and brokers"
        tabs={tabs.map(name => ({ name, label: tabLabels[name] }))}
        selected={selected}
        onSelect={tab => changeQuery({ ...listQuery, tab: tab === 'providers' ? undefined : tab })}
      >
        <TabContent key={selected} tab={selected} />
      </Tabs>
    </>
  );
}

function TabContent({ tab }: { readonly tab: TabName }) {
  const { cluster } = useCluster();
  switch (tab) {
    case 'providers':
      return (
        <ObjectList
          kind={operatorKinds.providers}
          cluster={providersCluster}
          hrefOf={({ name }) => viewHref([cluster, 'providers', 'provider', name])}
          advice={
            <p className="quiet">
              Install one: <code>chandlery provider install FILE</code>
            </p>
          }
        />
      );
    case 'brokers':
      return <BrokersTab />;
    case 'platforms':
      return (
        <ObjectList
          kind={operatorKinds.platforms}
          cluster={brokersCluster}
          advice={
            <p className="quiet">
              Register one and start its proxy: <code>chandlery platform register eu-1 kubernetes</code>
            </p>
          }
        />
      );
    case 'visibilities':
      return <VisibilitiesTab />;
  }
}
