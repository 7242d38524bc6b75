import { artifacts } from './artifact.ts';
import { aspects } from './aspect.ts';
import { collections } from './collection.ts';
import { historyEntries } from './history-entry.ts';
import { jobEvents, jobs } from './job.ts';
import { orders } from './order.ts';
import { queueMessages, queues } from './queue.ts';
import { services } from './service.ts';
import { serviceSecrets } from './service-secret.ts';

/** All kinds of the domain on the onboarding cluster, by the names of the registry's tables. */
export const ordersKinds = {
  services,
  orders,
  jobs,
  jobEvents,
  artifacts,
  collections,
  queues,
  queueMessages,
  aspects,
  secrets: serviceSecrets,
  history: historyEntries,
} as const;
