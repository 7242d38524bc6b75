import { describe } from 'node:test';
import { resourceOutcomes } from './endpoint-outcomes.ts';
import { brokers } from './sections/brokers.ts';
import { catalog } from './sections/catalog.ts';
import { errors } from './sections/errors.ts';
import { labels } from './sections/labels.ts';
import { paging } from './sections/paging.ts';
import { platforms } from './sections/platforms.ts';
import { queries } from './sections/queries.ts';
import { transport } from './sections/transport.ts';
import { visibilities } from './sections/visibilities.ts';
import { everyOutcomeIsShown } from './support/outcomes.ts';
import { setStage } from './support/stage.ts';

/** What operators register, and how it is asked for. */
describe('The service manager', () => {
  const stage = setStage();
  transport(stage);
  errors(stage);
  platforms(stage);
  brokers(stage);
  catalog(stage);
  visibilities(stage);
  queries(stage);
  labels(stage);
  paging(stage);
  everyOutcomeIsShown(stage, resourceOutcomes);
});
