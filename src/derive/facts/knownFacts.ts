import { unitsOfKind, type UnitOf } from '../../model/model.ts';
import type { Store, UnitFilter } from '../../store/store.ts';
import { sameName, wholeNameKeys } from '../../text/text.ts';
import type { FoundFact } from './foundFact.ts';
import { personNames } from './personNames.ts';

type Fact = UnitOf<'fact'>;

/** Facts per page, and the most that are read; the oldest are left out then. */
const PAGE = 1_000;
const MAX_READ = 10_000;

/** All known facts, oldest first, by default of any sensitivity, since access is checked later. */
export async function readKnownFacts(
  store: Store,
  filter: UnitFilter = { maxSensitivity: 'secret' },
): Promise<Fact[]> {
  const facts: Fact[] = [];
  for (let offset = 0; offset < MAX_READ; offset += PAGE) {
    const page = await store.units.list({ ...filter, kinds: ['fact'] }, { limit: PAGE, offset });
    facts.push(...unitsOfKind('fact', page));
    if (page.length < PAGE) break;
  }
  // Oldest first.
  return facts.reverse();
}

/** The facts with the entities of their objects. */
export async function nameObjects(store: Store, found: readonly FoundFact[]): Promise<FoundFact[]> {
  const namesOf = ({ predicate, object }: FoundFact) => [object, ...personNames(predicate, object)];
  const keys = new Map(found.map((fact) => [fact, namesOf(fact).flatMap((name) => wholeNameKeys(name))]));
  const entities = await store.entities.find([...keys.values()].flat());
  if (entities.size === 0) return [...found];
  return found.map((fact) => {
    const candidates = (keys.get(fact) ?? []).flatMap((key) => entities.get(key) ?? []);
    const entity = candidates.find(({ name, aliases }) =>
      [name, ...aliases].some((one) => namesOf(fact).some((said) => sameName(one, said))),
    );
    return entity ? { ...fact, objectEntityId: entity.id } : fact;
  });
}
