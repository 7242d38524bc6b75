import { type Offering, type Origin, originTypes, readOfferings } from '../../api/offerings.ts';
import { Link } from '../../routing/link.tsx';
import { changeQuery, useViewLocation, viewHref } from '../../routing/location.ts';
import { useCluster } from '../../shell/cluster-context.tsx';
import { usePageTitle } from '../../shell/page-title.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, FailurePage, Loading } from '../../ui/notice.tsx';
import { plainText } from '../../ui/plain-text.ts';
import { useLoaded } from '../../ui/use-request.ts';
import { FilterField } from '../kind-list/list-filters.tsx';
import { OrderPage } from './order-page.tsx';
import { originOfQuery, originText, originWords } from './origins.ts';

/** Everything that can be ordered, or the order form of one offering. */
export default function CataloguePage({ offering }: { readonly offering: string }) {
  const { value, error } = useLoaded(readOfferings, []);
  usePageTitle('Catalogue');
  if (error !== undefined) return <FailurePage title="Catalogue" goal="read the catalogue" error={error} />;
  if (value === undefined) return <Loading what="the catalogue" />;
  if (offering === '') return <Offerings offerings={value} />;
  const found = value.find(({ id, name }) => name === offering || id === offering);
  if (found === undefined) return <EmptyState isPage title={`There is no offering "${offering}" that you may order`} />;
  return <OrderPage key={found.id} offering={found} />;
}

function Offerings({ offerings }: { readonly offerings: readonly Offering[] }) {
  const { query } = useViewLocation();
  const text = query.get('q') ?? '';
  const origin = originOfQuery(query);
  const matching = offerings.filter(({ name, title, description, ...offering }) =>
    `${name} ${title} ${description} ${originText(offering.origin)}`.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const found = matching.filter(offering => origin === undefined || offering.origin.type === origin);
  return (
    <>
      <header className="page-head">
        <div>
          <h1>Catalogue</h1>
          <p className="quiet">What you may order, whoever offers it</p>
        </div>
      </header>
      {offerings.length === 0 ? (
        <EmptyState title="Nothing can be ordered yet">
          <p className="quiet">An operator installs a provider, configures the fleet, or registers a broker.</p>
        </EmptyState>
      ) : (
        <>
          <div className="toolbar">
            <FilterField label="Search" parameter="q" value={text} placeholder="name or description" />
          </div>
          <OriginChips offerings={matching} selected={origin} />
        </>
      )}
      {offerings.length > 0 && found.length === 0 && (
        <EmptyState title="No offering matches">
          <Button onClick={() => changeQuery({ q: undefined, origin: undefined })}>Show all offerings</Button>
        </EmptyState>
      )}
      <div className="cards cards-even">
        {found.map(offering => (
          <OfferingCard key={offering.id} offering={offering} />
        ))}
      </div>
    </>
  );
}

interface OriginChipsProps {
  readonly offerings: readonly Offering[];
  readonly selected: Origin['type'] | undefined;
}

/** How many offerings are from where; choosing one shows only those. */
function OriginChips({ offerings, selected }: OriginChipsProps) {
  const counts = Map.groupBy(offerings, ({ origin }) => origin.type);
  const present = originTypes.filter(type => counts.has(type) || type === selected);
  if (present.length < 2 && selected === undefined) return null;
  return (
    <div className="chips" role="group" aria-label="Filter by origin">
      {present.map(type => (
        <button
          key={type}
          type="button"
          className="chip"
          aria-pressed={type === selected}
          onClick={() => changeQuery({ origin: type === selected ? undefined : type }, { replace: true })}
        >
          {originWords[type]} {counts.get(type)?.length ?? 0}
        </button>
      ))}
    </div>
  );
}

function OfferingCard({ offering: { name, title, description, origin, plans } }: { readonly offering: Offering }) {
  const { cluster } = useCluster();
  const ns = useViewLocation().query.get('ns') ?? undefined;
  return (
    <section className="card offering" aria-label={`Offering ${plainText(title)}`}>
      <h2>
        <Link className="row-link" href={viewHref([cluster, 'catalogue', name], { ns })}>
          {plainText(title)}
        </Link>
      </h2>
      <p className="quiet">
        {originText(origin)}
        {name !== title && (
          <>
            {' '}
            · <code>{plainText(name)}</code>
          </>
        )}
      </p>
      <p>{plainText(description)}</p>
      <p className="quiet">{plans.length === 1 ? '1 plan' : `${plans.length} plans`}</p>
    </section>
  );
}
