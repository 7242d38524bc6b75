import { useAccess } from '../../api/access.ts';
import { readProductIds } from '../../api/fleet.ts';
import { changeQuery, useViewLocation, viewHref } from '../../routing/location.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { EmptyState, FailureNotice, Loading } from '../../ui/notice.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useLoaded } from '../../ui/use-request.ts';
import { ObjectList } from '../kind-list/kind-list-page.tsx';
import { ClusterPage } from './cluster-page.tsx';
import { fleetCluster, fleetKinds } from './fleet-kinds.ts';
import { InstancePage } from './instance-page.tsx';
import { OwnInstancePage } from './own-instance-page.tsx';
import { OwnInstances } from './own-instances.tsx';
import { QuotaTab } from './quota-tab.tsx';
import { RegionsTab } from './regions-tab.tsx';
import { RolloutPage } from './rollout-page.tsx';
import { RolloutsTab } from './rollouts-tab.tsx';

interface FleetPageProps {
  /** What is shown: `cluster`, `instance`, `own` or `rollout`; empty: everything. */
  readonly part: string;
  readonly names: readonly string[];
}

/** Managed products on data-plane clusters: where they run, how full it is there, and what changes. */
export default function FleetPage({ part, names: [first = '', second = ''] }: FleetPageProps) {
  switch (part) {
    case 'cluster':
      return <ClusterPage key={first} name={first} />;
    case 'instance':
      return <InstancePage key={`${first}/${second}`} namespace={first} name={second} />;
    case 'own':
      return <OwnInstancePage key={second} product={first} id={second} />;
    case 'rollout':
      return <RolloutPage key={first} name={first} />;
    case '':
      return <FleetOverview />;
    default:
      return <EmptyState isPage title={`There is no page "${part}" of the fleet`} />;
  }
}

const tabLabels = { regions: 'Regions', instances: 'Instances', rollouts: 'Rollouts', quota: 'Quota' } as const;
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

function FleetOverview() {
  const { query } = useViewLocation();
  const { value: products, error } = useLoaded(readProductIds, []);
  usePageTitle('Fleet');
  const product = query.get('product') ?? products?.[0];
  const tabs = Object.keys(tabLabels) as TabName[];
  const selected = tabs.find(name => name === query.get('tab')) ?? 'regions';
  return (
    <>
      <header className="page-head">
        <div>
          <h1>Fleet</h1>
          <p className="quiet">Managed products on data-plane clusters</p>
        </div>
        {products !== undefined && product !== undefined && <ProductPicker products={products} product={product} />}
      </header>
      {error !== undefined && <FailureNotice goal="read the products of the fleet" error={error} />}
      {products === undefined && error === undefined && <Loading what="the products of the fleet" />}
      {products?.length === 0 && (
        <EmptyState title="The fleet has no products yet">
          <p className="quiet">
            An operator puts the configuration of one into force: <code>chandlery fleet configure FILE</code>
          </p>
        </EmptyState>
      )}
      {product !== undefined && (
        <Tabs
          label="Parts of the fleet"
          tabs={tabs.map(name => ({ name, label: tabLabels[name] }))}
          selected={selected}
          onSelect={tab => changeQuery({ ...listQuery, tab: tab === 'regions' ? undefined : tab })}
        >
          <TabContent key={product} tab={selected} product={product} />
        </Tabs>
      )}
    </>
  );
}

interface ProductPickerProps {
  readonly products: readonly string[];
  readonly product: string;
}

const ProductPicker = ({ products, product }: ProductPickerProps) => (
  <label className="field-inline">
    <span>Product</span>
    <select value={product} onChange={({ target }) => changeQuery({ product: target.value, page: undefined })}>
      {[...new Set([...products, product])].map(id => (
        <option key={id}>{id}</option>
      ))}
    </select>
  </label>
);

function TabContent({ tab, product }: { readonly tab: TabName; readonly product: string }) {
  switch (tab) {
    case 'regions':
      return <RegionsTab product={product} />;
    case 'instances':
      return <InstancesTab product={product} />;
    case 'rollouts':
      return <RolloutsTab product={product} />;
    case 'quota':
      return <QuotaTab product={product} />;
  }
}

/** Of one product; and the namespaces of the fleet mean nothing to people. */
const presentation = { hidden: ['Namespace', 'Product'] };
const usePresentation = () => presentation;

/** Who may list the objects sees all of them; others the instances of their organisation, over REST. */
function InstancesTab({ product }: { readonly product: string }) {
  const { cluster } = useCluster();
  const ns = useViewLocation().query.get('ns') ?? undefined;
  const { isKnown, denial } = useAccess({
    cluster: fleetCluster,
    verb: 'list',
    ...fleetKinds.instances,
    namespace: ns ?? '',
  });
  if (!isKnown) return <Loading what="the instances" />;
  if (denial !== undefined) return <OwnInstances product={product} />;
  return (
    <ObjectList
      kind={fleetKinds.instances}
      cluster={fleetCluster}
      fields={`spec.product=${product}`}
      hrefOf={({ namespace = '', name }) => viewHref([cluster, 'fleet', 'instance', namespace, name], { ns })}
      usePresentation={usePresentation}
      advice={<p className="quiet">Order one in the catalogue: its plans are sizes of the product.</p>}
    />
  );
}
