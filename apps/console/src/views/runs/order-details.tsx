import { formatElapsed } from '@chandlery/api';
import { useState } from 'react';
import { Link } from '../../routing/link.tsx';
import { viewHref } from '../../routing/location.ts';
import { pageHref } from '../../routing/paths.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { Button } from '../../ui/button.tsx';
import { download } from '../../ui/download.ts';
import { EmptyState, FailureNotice, Loading, Notice } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { Time } from '../../ui/time.tsx';
import { useLoaded } from '../../ui/use-request.ts';
import { Fact } from '../fact.tsx';
import {
  type NamedValue,
  type OrderObject,
  type Product,
  readProduct,
  readProducts,
  readServiceName,
} from './order.ts';

/** What was ordered, by whom, with which values, and what came of it. */
export function OrderDetails({ order }: { readonly order: OrderObject }) {
  const { cluster } = useCluster();
  const { namespace = '' } = order.metadata;
  const { service, parameters = [], resubmitOf, instance } = order.spec;
  const { orderer, orderedAt, startedAt, finishedAt, retries = 0, warnings = [], result } = order.status ?? {};
  const defaults = (order.status?.arguments ?? []).filter(({ name }) => !parameters.some(given => given.name === name));
  const { value: serviceName } = useLoaded(signal => readServiceName(service, namespace, signal), [service, namespace]);
  const source = resubmitOf?.replace(/^.*:/, '');
  return (
    <>
      {warnings.length > 0 && (
        <Notice kind="warning">
          {warnings.map(text => (
            <p key={text}>! {plainText(text)}</p>
          ))}
        </Notice>
      )}
      <div className="cards">
        <section className="card">
          <h2>Order</h2>
          <dl className="facts">
            <Fact name="Service">{plainText(serviceName ?? service)}</Fact>
            <Fact name="Ordered by">{plainText(orderer ?? '–')}</Fact>
            <Fact name="Ordered">
              <Time at={orderedAt} />
            </Fact>
            <Fact name="Started">
              <Time at={startedAt} />
            </Fact>
            <Fact name="Finished">
              <Time at={finishedAt} />
            </Fact>
            <Fact name="Duration">{formatElapsed({ startedAt, finishedAt }, new Date()) || '–'}</Fact>
            {retries > 0 && <Fact name="Retries">{retries}</Fact>}
            {source !== undefined && (
              <Fact name="Repeats">
                <Link href={viewHref([cluster, 'orders', namespace, source])}>{source}</Link>
              </Fact>
            )}
            {instance !== undefined && (
              <Fact name="Instance">
                <Link href={pageHref(cluster, 'instances', { ns: namespace, q: order.spec.name })}>
                  {plainText(order.spec.name ?? instance)}
                </Link>
              </Fact>
            )}
          </dl>
        </section>
        <ParametersCard title="Parameters" values={parameters} none="None were given" />
        {defaults.length > 0 && <ParametersCard title="Defaults" values={defaults} none="" />}
        {result !== undefined && (
          <section className="card">
            <h2>Result</h2>
            <pre className="value">{plainText(JSON.stringify(result, undefined, 2))}</pre>
          </section>
        )}
      </div>
    </>
  );
}

interface ParametersCardProps {
  readonly title: string;
  readonly values: readonly NamedValue[];
  readonly none: string;
}

const ParametersCard = ({ title, values, none }: ParametersCardProps) => (
  <section className="card">
    <h2>{title}</h2>
    {values.length === 0 && <p className="quiet">{none}</p>}
    <dl className="facts">
      {values.map(({ name, value }) => (
        <Fact key={name} name={plainText(name)}>
          <span className="value">{plainText(value)}</span>
        </Fact>
      ))}
    </dl>
  </section>
);

/** The artifacts that an order made. */
export function OrderProducts({ order }: { readonly order: OrderObject }) {
  const { uid, namespace = '', resourceVersion } = order.metadata;
  const { value, error } = useLoaded(signal => readProducts(order, signal), [uid, resourceVersion]);
  const [failure, setFailure] = useState<unknown>();
  const save = async (product: Product): Promise<void> => {
    setFailure(undefined);
    try {
      download(plainText(product.name ?? product.id), await readProduct(product, namespace));
    } catch (thrown) {
      setFailure(thrown);
    }
  };
  if (error !== undefined) return <FailureNotice goal="read the products" error={error} />;
  if (value === undefined) return <Loading what="products" />;
  if (value.length === 0) return <EmptyState title="This order has made no artifacts" />;
  return (
    <>
      {failure !== undefined && <FailureNotice goal="download the product" error={failure} />}
      <div className="table-frame" role="region" aria-label="Products" tabIndex={0}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Type</th>
              <th scope="col">Size</th>
              <th scope="col">Created</th>
              <th scope="col">
                <span className="spoken">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {value.map(product => (
              <tr key={product.id}>
                <td>{plainText(product.name ?? product.id)}</td>
                <td>{plainText(product['mime-type'] ?? '–')}</td>
                <td>{product.size === undefined ? '–' : `${product.size.toLocaleString()} bytes`}</td>
                <td>
                  <Time at={product['created-at']} />
                </td>
                <td>
                  <Button
                    disabledReason={product.status === 'ready' ? undefined : `Its status is "${product.status}"`}
                    onClick={() => void save(product)}
                  >
                    Download
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
