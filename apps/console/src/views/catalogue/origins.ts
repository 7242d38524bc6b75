import { type Origin, originTypes } from '../../api/offerings.ts';
import { plainText } from '../../ui/plain-text.ts';

/** What people call several offerings of an origin. */
export const originWords: Readonly<Record<Origin['type'], string>> = {
  provider: 'Providers',
  fleet: 'Fleet',
  orders: 'Orders',
  broker: 'Brokers',
};

/** Who offers something, in words. */
export function originText({ type, name }: Origin): string {
  switch (type) {
    case 'provider':
      return ['Provider', plainText(name)].join(' ').trim();
    case 'fleet':
      return 'Product of the fleet';
    case 'orders':
      return 'Service of orders';
    case 'broker':
      return ['Broker', plainText(name)].join(' ').trim();
  }
}

/** The origin that an address names. */
export const originOfQuery = (query: URLSearchParams): Origin['type'] | undefined =>
  originTypes.find(type => type === query.get('origin'));
