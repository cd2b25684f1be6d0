/* Table: the collective calls (floor: mpi; included by collective.c once for each type of counts).
 *
 * COLLECTIVE(Name, name, (parameters), arguments): the communicator is `comm`, and MPI_Iname with a request besides
 * does the same without blocking. MPI 4 has each call a second time, with large counts. */
COLLECTIVE(Bcast, bcast, (void *buffer, COUNT count, MPI_Datatype type, int root, MPI_Comm comm), buffer, count, type,
	   root, comm)
COLLECTIVE(Reduce, reduce,
	   (const void *from, void *to, COUNT count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm), from, to,
	   count, type, op, root, comm)
COLLECTIVE(Allreduce, allreduce, (const void *from, void *to, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
	   from, to, count, type, op, comm)
COLLECTIVE(Scan, scan, (const void *from, void *to, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), from, to,
	   count, type, op, comm)
COLLECTIVE(Exscan, exscan, (const void *from, void *to, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), from,
	   to, count, type, op, comm)
COLLECTIVE(Reduce_scatter, reduce_scatter,
	   (const void *from, void *to, const COUNT counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm), from, to,
	   counts, type, op, comm)
COLLECTIVE(Reduce_scatter_block, reduce_scatter_block,
	   (const void *from, void *to, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), from, to, count,
	   type, op, comm)
COLLECTIVE(Gather, gather,
	   (const void *from, COUNT n, MPI_Datatype type, void *to, COUNT to_n, MPI_Datatype to_type, int root,
	    MPI_Comm comm),
	   from, n, type, to, to_n, to_type, root, comm)
COLLECTIVE(Gatherv, gatherv,
	   (const void *from, COUNT n, MPI_Datatype type, void *to, const COUNT to_n[], const PLACE places[],
	    MPI_Datatype to_type, int root, MPI_Comm comm),
	   from, n, type, to, to_n, places, to_type, root, comm)
COLLECTIVE(Scatter, scatter,
	   (const void *from, COUNT n, MPI_Datatype type, void *to, COUNT to_n, MPI_Datatype to_type, int root,
	    MPI_Comm comm),
	   from, n, type, to, to_n, to_type, root, comm)
COLLECTIVE(Scatterv, scatterv,
	   (const void *from, const COUNT n[], const PLACE places[], MPI_Datatype type, void *to, COUNT to_n,
	    MPI_Datatype to_type, int root, MPI_Comm comm),
	   from, n, places, type, to, to_n, to_type, root, comm)
COLLECTIVE(Allgather, allgather,
	   (const void *from, COUNT n, MPI_Datatype type, void *to, COUNT to_n, MPI_Datatype to_type, MPI_Comm comm),
	   from, n, type, to, to_n, to_type, comm)
COLLECTIVE(Allgatherv, allgatherv,
	   (const void *from, COUNT n, MPI_Datatype type, void *to, const COUNT to_n[], const PLACE places[],
	    MPI_Datatype to_type, MPI_Comm comm),
	   from, n, type, to, to_n, places, to_type, comm)
COLLECTIVE(Alltoall, alltoall,
	   (const void *from, COUNT n, MPI_Datatype type, void *to, COUNT to_n, MPI_Datatype to_type, MPI_Comm comm),
	   from, n, type, to, to_n, to_type, comm)
COLLECTIVE(Alltoallv, alltoallv,
	   (const void *from, const COUNT n[], const PLACE places[], MPI_Datatype type, void *to, const COUNT to_n[],
	    const PLACE to_places[], MPI_Datatype to_type, MPI_Comm comm),
	   from, n, places, type, to, to_n, to_places, to_type, comm)
COLLECTIVE(Alltoallw, alltoallw,
	   (const void *from, const COUNT n[], const PLACE places[], const MPI_Datatype types[], void *to,
	    const COUNT to_n[], const PLACE to_places[], const MPI_Datatype to_types[], MPI_Comm comm),
	   from, n, places, types, to, to_n, to_places, to_types, comm)
