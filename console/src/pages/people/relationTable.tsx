import { useFormat, useWords } from '../../words/words.tsx';
import { languageOf } from '../../words/language.ts';
import type { Neighbourhood } from './entityDetail.tsx';

interface RelationTableProps {
  readonly around: Neighbourhood;
  readonly onOpen: (entityId: number) => void;
}

/** The graph's relations as a table. */
export function RelationTable({ around, onOpen }: RelationTableProps) {
  const w = useWords();
  const f = useFormat();
  const nameOf = new Map(around.entities.map(({ id, name }) => [id, name]));
  const name = (id: number) => (
    <button
      type="button"
      lang={languageOf(nameOf.get(id) ?? '')}
      className="text-left hover:text-accent hover:underline"
      onClick={() => onOpen(id)}
    >
      {nameOf.get(id)}
    </button>
  );
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-sm">
        <thead className="text-left text-faint">
          <tr>
            <th className="py-1 pr-3 font-normal">{w.people.name}</th>
            <th className="py-1 pr-3 font-normal">{w.people.relation}</th>
            <th className="py-1 pr-3 font-normal">{w.people.name}</th>
            <th className="py-1 text-right font-normal">{w.people.weight}</th>
          </tr>
        </thead>
        <tbody>
          {around.edges.map((edge) => (
            <tr
              key={`${edge.fromEntityId}/${edge.toEntityId}/${edge.relation}`}
              className="border-t border-line"
            >
              <td className="py-1.5 pr-3">{name(edge.fromEntityId)}</td>
              <td className="py-1.5 pr-3 text-soft">{edge.relation}</td>
              <td className="py-1.5 pr-3">{name(edge.toEntityId)}</td>
              <td className="py-1.5 text-right tabular-nums">{f.percent(edge.weight)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {around.isCut && <p className="mt-2 text-sm text-faint">{w.people.graphCut}</p>}
    </div>
  );
}
