import { useState } from 'react';
import { type Offering, readOfferings } from '../../api/offerings.ts';
import { Link } from '../../routing/link.tsx';
import { useViewLocation, viewHref } from '../../routing/location.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { EmptyState, FailureNotice, Loading } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { useLoaded } from '../../ui/use-request.ts';
import { OrderPage } from './order-page.tsx';

/** Everything that can be ordered, or the order form of one offering. */
export default function CataloguePage({ offering }: { readonly offering: string }) {
  const { value, error } = useLoaded(readOfferings, []);
  usePageTitle('Catalogue');
  if (error !== undefined) return <FailureNotice goal="read the catalogue" error={error} />;
  if (value === undefined) return <Loading what="the catalogue" />;
  if (offering === '') return <Offerings offerings={value} />;
  const found = value.find(({ id, name }) => name === offering || id === offering);
  if (found === undefined) return <EmptyState title={`There is no offering "${offering}" that you may order`} />;
  return <OrderPage key={found.id} offering={found} />;
}

function Offerings({ offerings }: { readonly offerings: readonly Offering[] }) {
  const { cluster } = useCluster();
  const { query } = useViewLocation();
  const [text, setText] = useState('');
  const found = offerings.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(text.trim().toLowerCase()),
  );
  return (
    <>
      <header className="page-head">
        <div>
          <h1>Catalogue</h1>
          <p className="quiet">Services of providers, products of the fleet, services of orders, and brokers</p>
        </div>
      </header>
      <div className="toolbar">
        <label className="field-inline">
          <span>Search</span>
          <input type="search" value={text} onChange={({ target }) => setText(target.value)} spellCheck={false} />
        </label>
      </div>
      {offerings.length === 0 && (
        <EmptyState title="Nothing can be ordered yet">
          <p className="quiet">An operator installs a provider, configures the fleet, or registers a broker.</p>
        </EmptyState>
      )}
      <div className="cards">
        {found.map(({ id, name, description, broker, plans }) => (
          <section key={id} className="card offering">
            <h2>
              <Link
                className="row-link"
                href={viewHref([cluster, 'catalogue', name], { ns: query.get('ns') ?? undefined })}
              >
                {plainText(name)}
              </Link>
            </h2>
            <p>{plainText(description)}</p>
            <p className="quiet">
              {plans.length === 1 ? '1 plan' : `${plans.length} plans`}
              {broker !== '' && ` · ${plainText(broker)}`}
            </p>
          </section>
        ))}
      </div>
    </>
  );
}
