! What a Fortran program does with the module forestgomp: an array lies on pages that the library has placed. Returns the
! number of the first step that was not right, or 0.
include 'forestgomp.f90'

integer(c_int) function memory_fortran() bind(c)
    use forestgomp
    use iso_c_binding
    implicit none
    integer(c_size_t), parameter :: n = 20000, bytes = 8 * n
    integer(c_int), target :: nodes(1) = 0, weights(1) = 2
    integer(c_size_t) :: on_node(64)
    integer(c_int) :: k
    type(c_ptr) :: start, parts(2), other
    type(fgomp_pages_wish) :: wish
    real(c_double), pointer :: a(:)
    do k = 0, fgomp_pages_nodes() - 1
        if (fgomp_pages_room(k) /= 0) exit
    end do
    nodes(1) = k
    wish%n_nodes = 1
    wish%nodes = c_loc(nodes)
    wish%weights = c_loc(weights)
    wish%flags = fgomp_pages_strict
    memory_fortran = 1
    start = fgomp_pages_alloc(bytes, fgomp_pages_weighted, wish)
    if (.not. c_associated(start)) return
    call c_f_pointer(start, a, [n])
    memory_fortran = 2
    !$omp parallel do
    do k = 1, n
        a(k) = k
    end do
    if (sum(a) /= n * (n + 1) / 2) return
    memory_fortran = 3
    k = fgomp_pages_locate(start, bytes, on_node, 64)
    if (k == 0 .and. on_node(nodes(1) + 1) /= bytes) return
    memory_fortran = 4
    if (fgomp_pages_move(start, bytes, fgomp_pages_interleaved, when=fgomp_pages_now) /= 0) return
    if (fgomp_pages_move(start, bytes, fgomp_pages_node, wish, fgomp_pages_in_background) /= 0) return
    if (fgomp_pages_wait() /= 0 .or. sum(a) /= n * (n + 1) / 2) return
    k = fgomp_pages_move(start, bytes, fgomp_pages_first_touch, when=fgomp_pages_on_next_touch)
    if (k /= 0 .and. k /= 95) return ! ENOTSUP
    if (sum(a) /= n * (n + 1) / 2) return
    k = fgomp_pages_move(start, bytes, fgomp_pages_first_touch, when=fgomp_pages_on_next_write)
    if (k /= 0 .and. k /= 95) return
    a = 2 * a
    if (sum(a) /= n * (n + 1)) return
    memory_fortran = 5
    if (fgomp_pages_split(start, 2, parts) /= 0 .or. .not. c_associated(parts(1), start)) return
    if (fgomp_pages_free(parts(2)) /= 0 .or. fgomp_pages_free(start) /= 0 .or. fgomp_pages_free(start) == 0) return
    memory_fortran = 6
    other = fgomp_pages_alloc(1_c_size_t, fgomp_pages_nearest)
    if (.not. c_associated(other) .or. fgomp_pages_free(other) /= 0) return
    memory_fortran = 7
    if (fgomp_pages_access_cost(nodes(1), nodes(1)) > 10) return
    if (fgomp_pages_move_cost(bytes, nodes(1), nodes(1)) /= 0) return
    wish%flags = 4
    if (c_associated(fgomp_pages_alloc(bytes, fgomp_pages_node, wish))) return
    memory_fortran = 0
end function
